using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// The entries of this cluster as one silo sees them: the rows, which are the authority, and what the silo may conclude from them
/// without asking another cluster.
/// </summary>
internal sealed class DirectoryTable(
    ClusterId local, LiveConfiguration configuration, DirectoryRows rows, ILocalInstances instances, GlobalDirectoryOptions options,
    TimeProvider time, DoubtfulKeys doubtful, MoveJournal moves, DirectoryMetrics metrics, ILogger logger)
{
    private readonly ConcurrentDictionary<GrainKey, HeldRow> _held = new();

    // One for each acquisition and each Doubtful row that is tried again, of which there are only so many.
    private readonly ConcurrentDictionary<long, RunningRound> _running = new();
    private readonly Hints _hints = new(options.MaxHints, metrics);
    private readonly SeenRounds _seen = new(
        options.RoundLifetime, options.ScanInterval + options.ScanTurn + options.RoundLifetime, options.MaxDoubtfulKeys, time);

    // The clusters that have said of a grain that it is not there, since this silo was last told that it is.
    private readonly ConcurrentDictionary<GrainKey, ClusterId> _notAt = new();

    private int _heldCount;

    public ClusterId Local => local;

    public DirectoryRows Rows => rows;

    /// <summary>What a round would be run on now.</summary>
    public RoundBasis Basis => new(instances.Incarnation, configuration.Present.Version);

    public DoubtfulKeys Doubtful => doubtful;

    /// <summary>What this silo has done lately, to be shown.</summary>
    public MoveJournal Moves => moves;

    public bool TryGetHint(GrainKey key, out Placement placement) => _hints.TryGet(key, out placement);

    public IEnumerable<(GrainKey Key, Placement Placement)> Hints() => _hints.ToArray();

    /// <summary>Forgets what was said to be in a cluster that does not belong to the multi-cluster any more.</summary>
    public void ForgetHintsBut(MultiClusterConfiguration present)
    {
        foreach (var (key, placement) in _hints.ToArray())
        {
            if (!present.Includes(placement.Cluster))
            {
                _hints.Remove(key, placement.Cluster);
            }
        }
    }

    /// <summary>Of how many rows this silo lets the instance run.</summary>
    public int HeldCount => Volatile.Read(ref _heldCount);

    public HeldRow? Held(GrainKey key) => _held.TryGetValue(key, out var held) ? held : null;

    /// <summary>From here on an instance may run under the row, which this silo has written.</summary>
    public Placement Hold(GrainKey key, string rowKey, Row row)
    {
        var placement = Here(row.Entry);
        var held = new HeldRow(rowKey, row.Entry.Epoch, row.ETag, placement, row.Entry.State == GsiState.Owned);
        while (!_held.TryAdd(key, held))
        {
            // A further turn takes another thread that let go of the grain, or held it, in between: each does so once a tenancy.
            if (_held.TryGetValue(key, out var former) && _held.TryUpdate(key, held, former))
            {
                return placement;
            }
        }

        Interlocked.Increment(ref _heldCount);
        return placement;
    }

    /// <summary>An instance may go on under a row that was let go of, unless there is another row by now.</summary>
    public void Retain(GrainKey key, HeldRow held)
    {
        if (_held.TryAdd(key, held))
        {
            Interlocked.Increment(ref _heldCount);
        }
    }

    /// <summary>From here on no instance may run under a tenancy; one that has taken its place is left alone.</summary>
    /// <returns>The row, if this silo let an instance run under that tenancy.</returns>
    public HeldRow? LetGo(GrainKey key, long tenancy)
    {
        while (Held(key) is { } held && held.Epoch == tenancy)
        {
            // What was last seen of the row may change meanwhile, not the tenancy: a further turn takes a call that has just read the row.
            if (_held.TryRemove(new(key, held)))
            {
                Interlocked.Decrement(ref _heldCount);
                return held;
            }
        }

        return null;
    }

    public RunningRound Begin(RunningRound round) => _running[round.Id] = round;

    public void End(RunningRound round)
    {
        _running.TryRemove(round.Id, out _);
        round.End();
    }

    /// <summary>A round that runs in this silo; null of any other.</summary>
    public RunningRound? Running(long round) => _running.TryGetValue(round, out var running) ? running : null;

    public bool IsRunning(long round) => _running.ContainsKey(round);

    /// <summary>What an entry says now, without what a crash left behind.</summary>
    /// <remarks>
    /// A round that would create an instance at the node that this silo acts for, and that is not running here, is of an earlier life or
    /// was given up; should that be wrong, the rounds settle it by compare-and-swap.
    /// </remarks>
    /// <param name="stored">The entry as stored.</param>
    /// <param name="requesterHasInstance">Whether it is looked at for another cluster, which has an instance in doubt.</param>
    public RegardedEntry Regard(GsiEntry stored, bool requesterHasInstance = false)
    {
        if (stored.State == GsiState.Invalid)
        {
            return new(stored, NodeState.Living, NodeState.Living);
        }

        var node = NodeOf(stored);
        var entry = GsiRules.Recover(stored, Regarded(stored, node, requesterHasInstance), IsOverdue(stored));
        return entry.Node is null
            ? new(entry, NodeState.Living, NodeState.Living)
            : new(entry, node, Regarded(entry, node, requesterHasInstance));
    }

    /// <summary>The state of the node that an entry names; <see cref="NodeState.Living"/> where it names none.</summary>
    public NodeState NodeOf(GsiEntry entry) => entry.Node is { } named ? instances.StateOf(named) : NodeState.Living;

    /// <summary>Where the row says the instance is, for a caller at a node; null when that takes a round or a write.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="row">The row.</param>
    /// <param name="regarded">Its entry.</param>
    /// <param name="node">The node.</param>
    /// <param name="mode">What to do about missing replies.</param>
    public Placement? Grant(GrainKey key, Row row, RegardedEntry regarded, string node, SingleInstanceMode mode)
    {
        var entry = regarded.Entry;
        if (!regarded.MayBeCalled || (mode == SingleInstanceMode.Pessimistic && entry.State != GsiState.Owned))
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

    /// <summary>
    /// Where the row says the instance is; null when it says nothing. The node may be dead: then the grain is this cluster's all the same,
    /// and the next acquisition takes it over.
    /// </summary>
    public Placement? Describe(GsiEntry stored)
    {
        var regarded = Regard(stored);
        return regarded.Entry.MayRunHere && regarded.Regarded == NodeState.Living ? Here(regarded.Entry) : null;
    }

    /// <summary>
    /// Where the grain is while the instance here is being ended: with the owner for whom it is. A hint, as when it has ended; who comes
    /// late to the instance's end need not wait for it. Null when that owner has said since that it has left there.
    /// </summary>
    public Placement? YieldsTo(GrainKey key, GsiEntry stored) =>
        Regard(stored).Entry is { IsYielding: true } entry && !entry.IsLeft(time.GetUtcNow()) && configuration.Present.Includes(entry.Owner)
        && !SwitchedOff.Is(ProtocolRule.YieldingPoints) && !(_notAt.TryGetValue(key, out var left) && left == entry.Owner)
            ? Remember(key, entry)
            : null;

    /// <summary>Takes a Cached entry for a hint.</summary>
    public Placement Remember(GrainKey key, GsiEntry cached)
    {
        var placement = new Placement(PlacementKind.Elsewhere, cached.Owner, cached.OwnerNode);
        _hints.Set(key, placement);
        _notAt.TryRemove(key, out _);
        return placement;
    }

    /// <summary>Drops the hint about a grain.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="named">Only if the hint names this cluster; whatever it names when none.</param>
    public void ForgetHint(GrainKey key, ClusterId named = default) => _hints.Remove(key, named);

    /// <summary>A cluster has said that a grain is not there: neither a hint nor a row that yields to it sends calls there again.</summary>
    public void NoteNotAt(GrainKey key, ClusterId cluster)
    {
        ForgetHint(key, cluster);
        if (_notAt.Count >= options.MaxAcquisitions)
        {
            // Each costs a detour more.
            _notAt.Clear();
        }

        _notAt[key] = cluster;
    }

    public void NoteRecovered(GrainKey key, GsiEntry entry)
    {
        metrics.RowRecovered();
        logger.RowRecovered(key, entry.State, entry.Node);
    }

    /// <summary>The same of a row that is gone now, with the instance that it may have had.</summary>
    public void NoteVoid(GrainKey key, GsiEntry entry, string why)
    {
        NoteRecovered(key, entry);
        if (entry.MayRunHere)
        {
            moves.Note(key, MoveKind.Released, moves.Here(entry.Node), default, why);
        }
    }

    private bool IsOverdue(GsiEntry entry)
    {
        if (entry.State is not (GsiState.Requested or GsiState.Loser))
        {
            return false;
        }

        var isRunning = IsRunning(entry.Round);
        return time.GetUtcNow() >= entry.Deadline
            || (!isRunning && ((!entry.HasInstance && entry.Node == instances.Node) || _seen.IsOver(entry.Round)));
    }

    private NodeState Regarded(GsiEntry entry, NodeState node, bool requesterHasInstance) =>
        node == NodeState.Living ? node : GsiRules.NodeOf(entry, node, Basis, configuration.Since, requesterHasInstance);

    private Placement Here(GsiEntry entry) => new(PlacementKind.Here, local, entry.Node);
}
