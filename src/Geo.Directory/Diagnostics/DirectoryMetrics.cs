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
    private readonly Counter<long> _bounds;
    private readonly Counter<long> _refusals;
    private readonly Counter<long> _scanned;
    private readonly Counter<long> _damaged;
    private readonly Counter<long> _homeMoves;

    public DirectoryMetrics(ClusterId cluster, Func<DoubtfulStatus> doubtful)
    {
        _meter = new Meter(new MeterOptions(MeterName) { Tags = [new("cluster", cluster.Name)] });
        _rounds = _meter.CreateCounter<long>("geo.directory.rounds", "{round}", "Rounds that ended, by decision.");
        _restarts = _meter.CreateCounter<long>("geo.directory.restarts", "{round}", "Rounds that were cancelled and started over.");
        _recovered = _meter.CreateCounter<long>(
            "geo.directory.recovered_rows", "{row}", "Rows left behind by a crash that were taken over or removed.");
        _evictions = _meter.CreateCounter<long>(
            "geo.directory.hint_evictions", "{hint}", "Hints where an instance is that gave way because there were too many.");
        _unknown = _meter.CreateCounter<long>("geo.directory.store_unknown", "{operation}", "Row operations of unknown outcome.");
        _bounds = _meter.CreateCounter<long>(
            "geo.directory.bounds_hit", "{wait}", "Waits that the other side did not end in time, by what was waited for.");
        _refusals = _meter.CreateCounter<long>(
            "geo.directory.refusals", "{operation}", "Work that was not begun because too much was under way, by its kind.");
        _scanned = _meter.CreateCounter<long>("geo.directory.scanned_rows", "{row}", "Rows that scans of this silo have looked at.");
        _damaged = _meter.CreateCounter<long>(
            "geo.directory.damaged_rows", "{row}", "Rows that were found and could not be read, each version once.");
        _homeMoves = _meter.CreateCounter<long>(
            "geo.directory.home_moves", "{move}", "Moves of grains to their homes, by reason and by whether they came about.");
        _meter.CreateObservableGauge(
            "geo.directory.doubtful_rows", () => doubtful().Rows, "{row}", "Doubtful rows that this silo knows of.");
        _meter.CreateObservableGauge(
            "geo.directory.doubtful_age", () => doubtful().Oldest.TotalSeconds, "s",
            "How long this silo has known of the oldest of these rows; 0 where there is none.");
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

    public void HintEvicted() => _evictions.Add(1);

    public void StoreOutcomeUnknown() => _unknown.Add(1);

    public void BoundHit(string waitedFor) => _bounds.Add(1, new KeyValuePair<string, object?>("wait", waitedFor));

    public void Refused(string kind) => _refusals.Add(1, new KeyValuePair<string, object?>("kind", kind));

    public void RowDamaged() => _damaged.Add(1);

    public void HomeMove(string reason, bool isMoved) => _homeMoves.Add(
        1, new KeyValuePair<string, object?>("reason", reason),
        new KeyValuePair<string, object?>("outcome", isMoved ? "moved" : "stayed"));

    public void RowScanned() => _scanned.Add(1);

    public void Dispose() => _meter.Dispose();
}
