namespace Geo.Orleans.Tests.Grains;

/// <summary>A generic single-instance grain that keeps a value, and says in which cluster.</summary>
public interface IBox<T> : IGrainWithStringKey
{
    Task<string> Put(T value);

    Task<T> Take();

    /// <summary>Gives back so many bytes.</summary>
    Task<byte[]> Fill(int bytes);

    Task<int> Measure(byte[] bytes);

    /// <summary>Throws an exception that no serializer knows, with something inside that none can write.</summary>
    Task ThrowUnknown();

    /// <summary>Gives back something that no serializer can write.</summary>
    Task<object> Unwritable();
}
