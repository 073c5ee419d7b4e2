using System.Diagnostics.Metrics;
using Geo.Consistency.Lattices;

namespace Geo.Consistency;

/// <summary>What is observed of the replicas of this process when somebody asks, of the meter "Geo.Consistency".</summary>
internal static class LatticeGauges
{
    private static readonly Lock Gate = new();
    private static readonly List<WeakReference<LatticeExchange>> Watched = [];
    private static int _pruneAt = 64;

    static LatticeGauges()
    {
        var meter = ConsistencyMetrics.Meter;
        meter.CreateObservableGauge(
            "geo.lattices.lag", () => Lags().Select(l => With(l.Lag.TotalSeconds, l)), "s",
            "How long ago the oldest updates were made here that another cluster has not acknowledged, by cluster and grain class.");
        meter.CreateObservableGauge(
            "geo.lattices.unacknowledged", () => Lags().Select(l => With(l.Grains, l)), "{grain}",
            "Grains with updates made here that another cluster has not acknowledged, by cluster and grain class.");
        meter.CreateObservableGauge(
            "geo.lattices.grains", () => Serving().Sum(e => e.Counts().Grains), "{grain}",
            "Grains of which a state is kept here.");
        meter.CreateObservableGauge(
            "geo.lattices.tombstones", () => Serving().Sum(e => e.Counts().Empty), "{grain}",
            "Empty grains that are kept until all clusters have seen that they are.");
        meter.CreateObservableGauge(
            "geo.lattices.moving", () => Serving().Count(e => e.IsMoving), "{part}",
            "Parts of grains of which this silo lacks, or has not handed over, what moves to other clusters, or what is stored.");
        meter.CreateObservableGauge(
            "geo.lattices.hot", () => Serving().Count(e => e.IsVisiting), "{part}",
            "Parts of grains that this silo takes part in because one of them is called much here (HotRate), or was and not all of it is "
                + "handed over.");
        meter.CreateObservableGauge(
            "geo.lattices.unsaved", () => Serving().Sum(e => e.Counts().Unsaved), "{grain}",
            "Grains with changes that their store lacks.");
    }

    /// <summary>Observes a replica for as long as it lives.</summary>
    internal static void Watch(LatticeExchange exchange)
    {
        lock (Gate)
        {
            if (Watched.Count >= _pruneAt)
            {
                Watched.RemoveAll(static w => !w.TryGetTarget(out _));
                _pruneAt = Math.Max(64, 2 * Watched.Count);
            }

            Watched.Add(new(exchange));
        }
    }

    private static Measurement<T> With<T>(T value, LatticeLag lag)
        where T : struct =>
        new(value, new("cluster", lag.Cluster.Name), new KeyValuePair<string, object?>("class", lag.GrainClass));

    private static IEnumerable<LatticeLag> Lags() => LatticeLag.Sum(Serving().Select(e => e.Lags()));

    private static LatticeExchange[] Serving()
    {
        lock (Gate)
        {
            return [.. Watched.Select(static w => w.TryGetTarget(out var exchange) && exchange.IsServing ? exchange : null)
                .OfType<LatticeExchange>()];
        }
    }
}
