namespace Geo.Orleans.Tests.Grains;

/// <summary>A grain whose versions are kept by a protocol of the application's own.</summary>
public interface IBorrowed : IGrainWithStringKey
{
    Task Add(int amount);

    Task<int> Sum();
}
