using Geo.Directory;
using Geo.Testing.Storage;

namespace Geo.Testing.Tests;

/// <summary>
/// The accesses to a single-instance grain whose cost the GEO paper's Figure 8 gives in round trips, counted with the operations on
/// directory rows beside; leases and scans have keys of their own, and are not counted. The embedded host and Orleans share it.
/// </summary>
internal sealed class Accesses
{
    /// <summary>
    /// In their order. Figure 8 has the round trips; the rows are what the directory promises: a first access takes at most two writes and
    /// one read at home and one read in each other cluster, the end of an instance one write.
    /// </summary>
    public static readonly (string What, AccessCost Cost)[] Figure8 =
    [
        ("the first, which makes the instance", new(1, 1, 2, 1, 0)),
        ("again from there", new(0, 0, 0, 0, 0)),
        ("the first from another cluster", new(2, 1, 2, 1, 0)),
        ("again from that cluster", new(1, 0, 0, 0, 0)),
        ("from the instance's cluster afterwards", new(0, 0, 0, 0, 0)),
        ("the end of the instance", new(0, 0, 1, 0, 0)),
    ];

    private readonly Dictionary<string, CountingConditionalStore> _rows = [];
    private readonly AccessCost?[] _seen = new AccessCost?[Figure8.Length];

    /// <summary>Counts what is asked of a cluster's rows.</summary>
    public IConditionalStore Over(string cluster, IConditionalStore rows) => _rows[cluster] = new CountingConditionalStore(
        rows, key => key.StartsWith(GlobalDirectory.RowPrefix, StringComparison.Ordinal)
            || key.StartsWith(DoubtfulIndex.Prefix, StringComparison.Ordinal));

    /// <summary>What an access costs.</summary>
    /// <param name="from">The cluster that calls.</param>
    /// <param name="call">Gives the round trips that it took.</param>
    public async Task<AccessCost> MeasureAsync(string from, Func<Task<int>> call)
    {
        var before = _rows.ToDictionary(rows => rows.Key, rows => (rows.Value.Reads, rows.Value.Writes));
        var trips = await call();
        var counts = _rows.ToDictionary(
            rows => rows.Key,
            rows => (Reads: rows.Value.Reads - before[rows.Key].Reads, Writes: rows.Value.Writes - before[rows.Key].Writes));
        var others = counts.Where(count => count.Key != from).Select(count => count.Value).ToArray();
        return new(trips, counts[from].Reads, counts[from].Writes, others.Max(count => count.Reads), others.Max(count => count.Writes));
    }

    /// <summary>Keeps the dearest of each access.</summary>
    public void Add(IReadOnlyList<AccessCost> costs)
    {
        for (var i = 0; i < costs.Count; i++)
        {
            _seen[i] = _seen[i] is { } seen ? AccessCost.Worst(seen, costs[i]) : costs[i];
        }
    }

    /// <summary>All that was kept is what Figure 8 and the directory promise.</summary>
    /// <param name="host">What ran the silos.</param>
    /// <param name="write">Gets a line for each access.</param>
    public void AreThoseOfFigure8(string host, Action<string> write)
    {
        for (var i = 0; i < Figure8.Length; i++)
        {
            write($"| {host} | {_rows.Count} | {Figure8[i].What} | {_seen[i]} |");
        }

        Assert.Equal(Figure8.Select(access => access.Cost), _seen.Select(seen => seen!.Value));
    }
}
