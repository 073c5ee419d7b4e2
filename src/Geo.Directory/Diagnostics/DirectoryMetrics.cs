using System.Diagnostics.Metrics;

namespace Geo.Directory;

/// <summary>The meter "Geo.Directory" of one directory; every measurement carries the cluster.</summary>
internal sealed class DirectoryMetrics : IDisposable
{
    public const string MeterName = "Geo.Directory";

    private readonly Meter _meter;
    private readonly Counter<long> _rounds;
    private readonly Counter<long> _restarts;
    private readonly Counter<long> _recovered;
    private readonly Counter<long> _evictions;
    private readonly Counter<long> _unknown;

    public DirectoryMetrics(ClusterId cluster, Func<int> doubtfulRows)
    {
        _meter = new Meter(new MeterOptions(MeterName) { Tags = [new("cluster", cluster.Name)] });
        _rounds = _meter.CreateCounter<long>("geo.directory.rounds", "{round}", "Rounds that ended, by decision.");
        _restarts = _meter.CreateCounter<long>("geo.directory.restarts", "{round}", "Rounds that were cancelled and started over.");
        _recovered = _meter.CreateCounter<long>("geo.directory.recovered_rows", "{row}", "Rows left behind by a crash that were taken over or removed.");
        _evictions = _meter.CreateCounter<long>("geo.directory.cached_evictions", "{row}", "Cached rows removed because there were too many.");
        _unknown = _meter.CreateCounter<long>("geo.directory.store_unknown", "{operation}", "Row operations of unknown outcome.");
        _meter.CreateObservableGauge("geo.directory.doubtful_rows", doubtfulRows, "{row}", "Doubtful rows that this silo knows of.");
    }

    public void RoundEnded(GsiDecisionKind decision)
    {
        _rounds.Add(1, new KeyValuePair<string, object?>("decision", decision.ToString()));
        if (decision == GsiDecisionKind.Restart)
        {
            _restarts.Add(1);
        }
    }

    public void RowRecovered() => _recovered.Add(1);

    public void CachedRowEvicted() => _evictions.Add(1);

    public void StoreOutcomeUnknown() => _unknown.Add(1);

    public void Dispose() => _meter.Dispose();
}
