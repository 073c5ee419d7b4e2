namespace Geo.Experiments.Orleans;

/// <summary>What an actor on the loading silo calls on the other one.</summary>
public interface IEcho : IGrainWithIntegerKey
{
    /// <summary>The silo on which it runs.</summary>
    ValueTask<string> WhereAsync();

    /// <summary>Sends a payload back. Immutable, so that nothing is copied that does not have to be.</summary>
    ValueTask<Immutable<byte[]>> EchoAsync(Immutable<byte[]> payload);

    [OneWay]
    Task CountAsync(Immutable<byte[]> payload);

    /// <summary>How many messages were counted on its silo.</summary>
    ValueTask<long> CountedAsync();
}
