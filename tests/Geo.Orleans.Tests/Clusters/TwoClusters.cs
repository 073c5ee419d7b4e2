namespace Geo.Orleans.Tests.Clusters;

/// <summary>Two clusters of one silo, shared by the tests of a class.</summary>
public sealed class TwoClusters : IAsyncLifetime
{
    internal OrleansClusters Clusters { get; private set; } = null!;

    public async ValueTask InitializeAsync() => Clusters = await OrleansClusters.StartAsync();

    public ValueTask DisposeAsync() => Clusters.DisposeAsync();
}
