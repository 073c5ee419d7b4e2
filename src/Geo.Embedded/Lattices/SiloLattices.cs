using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>What a silo's replicas of its coordination-free grains need.</summary>
internal sealed record SiloLattices(
    IClusterMessenger Messenger, Func<IReadOnlyList<ClusterId>> Clusters, TimeProvider Time, SiloSurroundings Around, ILogger Logger,
    Func<string?, IConditionalStore> Stores, GeoEmbeddedOptions Options)
{
    /// <summary>Starts the replicas; null where no class is coordination-free.</summary>
    /// <exception cref="GeoConfigurationException">The silo shares its cluster with others.</exception>
    public static LatticeReplicas? Start(GrainClasses classes, SiloNeighbours? neighbours, SiloLattices with, StopSteps stop)
    {
        var lattices = classes.All.Where(c => c.Lattice is not null).ToList();
        if (lattices.Count == 0)
        {
            return null;
        }

        if (neighbours is not null)
        {
            throw new GeoConfigurationException(
                $"Grain class '{lattices[0].TypeName}' is [CoordinationFree], which clusters of several silos do not serve yet.");
        }

        var replicas = new LatticeReplicas(
            lattices.Select(c => (c.Lattice!, c.Declaration.UsesStore ? with.Stores(c.Declaration.Storage) : null)),
            new(with.Messenger.LocalCluster, with.Clusters, with.Options.Lattices.LeavingClusters),
            group => new(
                with.Messenger, with.Clusters, with.Time, with.Around.Random, with.Logger, with.Options.Lattices, group: group),
            (with.Options.Lattices, with.Time));
        replicas.Start();
        stop.Add("replicas of coordination-free grains", () => with.EndAsync(replicas));
        return replicas;
    }

    private async ValueTask EndAsync(LatticeReplicas replicas)
    {
        using var patience = new CancellationTokenSource(Options.DeactivationTimeout, Time);
        try
        {
            await replicas.LeaveAsync(patience.Token).ConfigureAwait(Around.KeepsContext);
        }
        catch (OperationCanceledException)
        {
            // No other cluster acknowledges, or no store; what both lack is lost, as is documented.
        }

        replicas.Dispose();
    }
}
