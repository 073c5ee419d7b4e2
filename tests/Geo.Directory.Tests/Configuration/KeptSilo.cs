using Geo.Directory.Tests.Silos;
using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests;

/// <summary>A silo of <see cref="KeptClusters"/>: its lease and configuration are the real ones, its directory is the version.</summary>
internal sealed class KeptSilo
{
    private readonly KeptCluster _home;

    public KeptSilo(KeptCluster home, string node, SimulationLane lane, IConditionalStore shared, VirtualTime time)
    {
        (_home, Lane, Node) = (home, lane, node);
        Member = home.Net.Join(node);
        var rows = new BoundedStore(home.Rows, new(TimeSpan.FromSeconds(2), 100), time, NullLogger.Instance);
        Cluster = new ClusterSilo(
            new ClusterSiloOptions { IsLive = true, LeaseDuration = KeptClusters.Lease }, home.Rows, Member, Member, new NoInstances(),
            time, NullLogger.Instance);
        var documents = new ConfigurationDocuments(
            new BoundedStore(shared, new(TimeSpan.FromSeconds(2), 100), time, NullLogger.Instance));
        Keeper = new ConfigurationKeeper(
            home.Id, documents, new StoredConfiguration(rows), KeptClusters.Refresh, time, NullLogger.Instance)
        {
            Steps = new(100),
        };
        Administration = new ConfigurationAdministration(documents, Keeper, _ => { }, cluster => Needs(cluster));
    }

    public string Node { get; }

    public ClusterId Id => _home.Id;

    public SimulationLane Lane { get; }

    public SiblingNet.Member Member { get; }

    public ClusterSilo Cluster { get; }

    public ConfigurationKeeper Keeper { get; }

    public IGeoConfiguration Administration { get; }

    /// <summary>What it works with; null before it serves.</summary>
    public MultiClusterConfiguration? Works { get; private set; }

    /// <summary>True where what it decides counts.</summary>
    public bool Serves => Works is not null && !Lane.IsHalted && Cluster.Guard.MayServe;

    /// <summary>How many rows of the cluster it finds when it drains.</summary>
    public long Held { get; set; }

    /// <summary>Why a cluster cannot be taken out.</summary>
    public Func<ClusterId, string?> Needs { get; set; } = _ => null;

    /// <summary>Why one of them stays.</summary>
    public string? Why { get; set; }

    /// <summary>What each pass of its drain waits for.</summary>
    public Task Draining { get; set; } = Task.CompletedTask;

    /// <summary>What happens between the reading of the configuration and the taking of the lease.</summary>
    public Func<Task> Loaded { get; init; } = () => Task.CompletedTask;

    /// <returns>Null when it serves; otherwise why it does not.</returns>
    public Task<Exception?> StartAsync(ConfigurationDocument first) => Lane.RunAsync(async () =>
    {
        try
        {
            await Keeper.LoadAsync(() => first, CancellationToken.None);
            await Loaded();
            await Cluster.StartAsync(CancellationToken.None, Keeper.ConfirmAsync);
            Keeper.Follow(Cluster.Versions, next => Works = next, _ => DrainAsync());
            Works = Keeper.Present.ToConfiguration(_home.Id);
            _ = Keeper.RunAsync(CancellationToken.None);
            return (Exception?)null;
        }
        catch (GeoException e)
        {
            Works = null;
            return e;
        }
    });

    private async Task<DrainPass> DrainAsync()
    {
        await Draining;
        return new(Held, Why);
    }

    /// <summary>Nothing of it runs any more.</summary>
    /// <param name="noticed">True where the membership declares it dead at once; otherwise never.</param>
    public void Crash(bool noticed = true)
    {
        Lane.Halt();
        _home.Net.Crash(Node);
        if (noticed)
        {
            _home.Net.Declare(Node, SiloState.Dead);
        }
    }

    private sealed class NoInstances : IInstanceTable
    {
        public bool Has(GrainKey key) => false;

        public Task DeactivateAsync(GrainKey key, string reason) => Task.CompletedTask;
    }
}
