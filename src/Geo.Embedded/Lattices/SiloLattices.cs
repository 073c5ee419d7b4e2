using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>What a silo's replica of its coordination-free grains needs.</summary>
internal sealed record SiloLattices(
    IClusterMessenger Messenger, Func<IReadOnlyList<ClusterId>> Clusters, TimeProvider Time, SiloSurroundings Around, ILogger Logger,
    Func<string?, IConditionalStore> Stores, GeoEmbeddedOptions Options)
{
    /// <summary>Starts the replica; null where no class is coordination-free.</summary>
    /// <exception cref="GeoConfigurationException">The silo shares its cluster with others.</exception>
    public static LatticeExchange? Start(GrainClasses classes, SiloNeighbours? neighbours, SiloLattices with, StopSteps stop)
    {
        var lattices = classes.All.Where(c => c.Lattice is not null).OrderBy(c => c.TypeName, StringComparer.Ordinal).ToList();
        if (lattices.Count == 0)
        {
            return null;
        }

        if (neighbours is not null)
        {
            throw new GeoConfigurationException(
                $"Grain class '{lattices[0].TypeName}' is [CoordinationFree], which clusters of several silos do not serve yet.");
        }

        var exchange = new LatticeExchange(
            with.Messenger, with.Clusters, with.Time, with.Around.Random, with.Logger, with.Options.Lattices);
        lattices.ForEach(c => exchange.Add(c.Lattice!, c.Declaration.UsesStore ? with.Stores(c.Declaration.Storage) : null));
        exchange.Start();
        stop.Add("replica of coordination-free grains", () => with.EndAsync(exchange));
        return exchange;
    }

    private async ValueTask EndAsync(LatticeExchange exchange)
    {
        using var patience = new CancellationTokenSource(Options.DeactivationTimeout, Time);
        try
        {
            await exchange.LeaveAsync(patience.Token).ConfigureAwait(Around.KeepsContext);
        }
        catch (OperationCanceledException)
        {
            // No other cluster acknowledges, or no store; what both lack is lost, as is documented.
        }

        exchange.Dispose();
    }
}
