using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>What a silo's replicas of its coordination-free grains need.</summary>
internal sealed record SiloLattices(
    IClusterMessenger Messenger, Func<IReadOnlyList<ClusterId>> Clusters, TimeProvider Time, SiloSurroundings Around, ILogger Logger,
    GeoEmbeddedOptions Options)
{
    /// <summary>Starts the replicas; null where no class is coordination-free.</summary>
    /// <exception cref="GeoConfigurationException">The silo shares its cluster with others.</exception>
    public static LatticeReplicas? Start(GrainClasses classes, SiloNeighbours? neighbours, SiloLattices with, StopSteps stop)
    {
        var lattices = classes.All.Select(c => c.Lattice).OfType<LatticeClass>().ToList();
        if (lattices.Count == 0)
        {
            return null;
        }

        if (neighbours is not null)
        {
            throw new GeoConfigurationException(
                $"Grain class '{lattices[0].Name}' is [CoordinationFree], which clusters of several silos do not serve yet.");
        }

        var replicas = new LatticeReplicas(lattices, domain => new(
            with.Messenger, with.Clusters, with.Time, with.Around.Random, with.Logger, with.Options.Lattices, domain: domain));
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
            // No other cluster acknowledges; what it lacks is lost, as is documented.
        }

        replicas.Dispose();
    }
}
