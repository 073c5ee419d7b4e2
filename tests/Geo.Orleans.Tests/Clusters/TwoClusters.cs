namespace Geo.Orleans.Tests.Clusters;

/// <summary>Two clusters of one silo, shared by the tests of a class.</summary>
public sealed class TwoClusters : IAsyncLifetime
{
    internal GeoTestCluster Clusters { get; private set; } = null!;

    public async ValueTask InitializeAsync() => Clusters = await GeoTestCluster.StartAsync();

    public ValueTask DisposeAsync() => Clusters.DisposeAsync();
}
