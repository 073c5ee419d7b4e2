using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// The entries of this cluster as one silo sees them: the rows, which are the authority, and what the silo may conclude from them
/// without asking another cluster.
/// </summary>
internal sealed class DirectoryTable(
    ClusterId local, DirectoryRows rows, ILocalInstances instances, GlobalDirectoryOptions options, TimeProvider time,
    DoubtfulKeys doubtful, DirectoryMetrics metrics, ILogger logger, CancellationToken lifetime)
{
    private readonly ConcurrentDictionary<GrainKey, HeldRow> _held = new();
    private readonly ConcurrentDictionary<long, byte> _running = new();
    private readonly CachedRows _cached = new(options.MaxCachedRows, metrics);

    public ClusterId Local => local;

    public DirectoryRows Rows => rows;

    public DoubtfulKeys Doubtful => doubtful;

    public bool TryGetCached(GrainKey key, out Placement placement) => _cached.TryGet(key, out placement);

    public HeldRow? Held(GrainKey key) => _held.TryGetValue(key, out var held) ? held : null;

    /// <summary>From here on an instance may run under the row, which this silo has written.</summary>
    public Placement Hold(GrainKey key, string rowKey, Row row)
    {
        var placement = Here(row.Entry);
        _held[key] = new HeldRow(rowKey, row.Entry.Epoch, row.ETag, placement, row.Entry.State == GsiState.Owned);
        return placement;
    }

    /// <summary>From here on no instance may run before the row has been written anew.</summary>
    public HeldRow? LetGo(GrainKey key) => _held.TryRemove(key, out var held) ? held : null;

    public void RoundBegins(long round) => _running.TryAdd(round, 0);

    public void RoundEnds(long round) => _running.TryRemove(round, out _);

    public bool IsRunning(long round) => _running.ContainsKey(round);

    /// <summary>The entry without what a crash left behind (<see cref="GsiRules.Recover"/>).</summary>
    /// <param name="entry">The entry as stored.</param>
    /// <param name="node">
    /// The node that this silo acts for, if it does. A round that would have created an instance there, and that is not running here, is of
    /// an earlier life or was given up; should that be wrong, the rounds settle it by compare-and-swap.
    /// </param>
    public GsiEntry Recover(GsiEntry entry, string? node)
    {
        if (entry.State is GsiState.Invalid or GsiState.Cached)
        {
            return entry;
        }

        var overdue = entry.State is GsiState.Requested or GsiState.Loser
            && (entry.Deadline <= time.GetUtcNow() || (!entry.HasInstance && entry.Node == node && !IsRunning(entry.Round)));
        return GsiRules.Recover(entry, entry.Node is not { } named || instances.IsNodeAlive(named), overdue);
    }

    /// <summary>Where the row says the instance is, for a caller at a node; null when that takes a round or a write.</summary>
    public Placement? Grant(GrainKey key, Row row, string node, SingleInstanceMode mode)
    {
        var entry = Recover(row.Entry, node);
        if (entry.State == GsiState.Cached)
        {
            return Remember(key, entry);
        }

        if (!entry.MayRunHere || (mode == SingleInstanceMode.Pessimistic && entry.State != GsiState.Owned))
        {
            return null;
        }

        if (entry.Node != node)
        {
            return Here(entry);
        }

        if (Held(key) is not { } held || held.Epoch != entry.Epoch)
        {
            return null;
        }

        if (held.ETag != row.ETag)
        {
            // Only if it is still held: a release at the same time must not be undone.
            _held.TryUpdate(key, held with { ETag = row.ETag, IsOwned = entry.State == GsiState.Owned }, held);
        }

        return held.Placement;
    }

    /// <summary>Where the row says the instance is; null when it says nothing.</summary>
    public Placement? Describe(GsiEntry stored)
    {
        var entry = Recover(stored, node: null);
        return entry.State == GsiState.Cached ? Elsewhere(entry)
            : entry.MayRunHere ? Here(entry)
            : null;
    }

    /// <summary>Takes a Cached entry into this silo's view, and makes room for it.</summary>
    public Placement Remember(GrainKey key, GsiEntry entry)
    {
        var placement = Elsewhere(entry);
        if (_cached.Set(key, placement, out var evicted))
        {
            _ = RemoveEvictedAsync(evicted);
        }

        return placement;
    }

    /// <summary>Drops what is cached about a grain, in the view and in the store, if it names a given cluster.</summary>
    public ValueTask ForgetCachedAsync(GrainKey key, ClusterId stale, CancellationToken cancellationToken)
    {
        _cached.Remove(key, stale);
        return DropCachedRowAsync(key, stale, cancellationToken);
    }

    /// <summary>Drops what the view says about a grain whose row is going to change.</summary>
    public void ForgetHint(GrainKey key) => _cached.Remove(key);

    public void NoteRecovered(GrainKey key, GsiEntry entry)
    {
        metrics.RowRecovered();
        logger.RowRecovered(key, entry.State, entry.Node);
    }

    private Placement Here(GsiEntry entry) => new(PlacementKind.Here, local, entry.Node);

    private static Placement Elsewhere(GsiEntry entry) => new(PlacementKind.Elsewhere, entry.Owner, entry.OwnerNode);

    private async ValueTask DropCachedRowAsync(GrainKey key, ClusterId named, CancellationToken cancellationToken)
    {
        var rowKey = DirectoryRows.KeyOf(key);
        var read = await rows.ReadAsync(rowKey, cancellationToken);
        var unknown = read.Unknown;
        if (unknown is null && read.Row.Entry.State == GsiState.Cached && (named.IsNone || read.Row.Entry.Owner == named))
        {
            unknown = (await rows.ReplaceAsync(rowKey, read.Row, GsiEntry.Invalid, cancellationToken)).Reason;
        }

        if (unknown is not null)
        {
            logger.RowUnsettled(key, "dropped", unknown);
        }
    }

    /// <summary>Behind the back of the caller whose row took the place; what fails here, the next scan finds again.</summary>
    private async Task RemoveEvictedAsync(GrainKey key)
    {
        try
        {
            await DropCachedRowAsync(key, default, lifetime);
        }
        catch (Exception e) when (e is GeoException or OperationCanceledException)
        {
            logger.RowUnsettled(key, "evicted", e.Message);
        }
    }
}
