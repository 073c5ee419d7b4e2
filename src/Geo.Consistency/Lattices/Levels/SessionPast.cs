namespace Geo.Consistency.Lattices;

/// <summary>
/// What a session has read and written: what its reads wait for, and what its updates follow. What it has made here is always here, and
/// others show it in its order, so of the own replica only the last numbers count, and only elsewhere.
/// </summary>
internal sealed class SessionPast
{
    private readonly LatticeMarks _before;
    private readonly bool _tracksReads;
    private readonly bool _tracksWrites;
    private readonly LevelParts _parts;
    private VectorClock _reads;
    private VectorClock? _readLast;
    private VectorClock _follows;
    private long _ownRead;
    private long _ownWritten;

    internal SessionPast(LevelParts parts, LatticeMarks before)
    {
        (_parts, _before, _reads) = (parts, before, before.Reads);
        _tracksReads = (parts & (LevelParts.SeesReads | LevelParts.FollowsReads)) != 0;
        _tracksWrites = (parts & (LevelParts.SeesWrites | LevelParts.FollowsWrites)) != 0;
        ForReads = Of(LevelParts.SeesReads, LevelParts.SeesWrites);
        _follows = ForUpdates = Of(LevelParts.FollowsReads, LevelParts.FollowsWrites);
    }

    /// <summary>What must be here before a read.</summary>
    internal VectorClock ForReads { get; }

    /// <summary>What must be here before an update: what follows it would be shown before it otherwise.</summary>
    internal VectorClock ForUpdates { get; }

    /// <summary>The session has read a grain as it is here.</summary>
    internal void HasRead(LatticeCell cell)
    {
        if (!_tracksReads)
        {
            return;
        }

        _ownRead = Math.Max(_ownRead, cell.Own);
        if (!ReferenceEquals(_readLast, cell.SeenOfOthers))
        {
            _readLast = cell.SeenOfOthers;
            if (!_reads.Covers(_readLast))
            {
                _reads = _reads.Merge(_readLast);
                _follows = (_parts & LevelParts.FollowsReads) != 0 ? _follows.Merge(_readLast) : _follows;
            }
        }
    }

    /// <summary>What an update of a grain follows, which is read for it; null for nothing.</summary>
    internal VectorClock? Follows(LatticeCell cell)
    {
        if ((_parts & LevelParts.FollowsReads) != 0)
        {
            HasRead(cell);
        }

        return ReferenceEquals(_follows, VectorClock.Bottom) ? null : _follows;
    }

    /// <summary>The session has made an update here.</summary>
    internal void HasWritten(long number) => _ownWritten = _tracksWrites ? number : 0;

    /// <summary>What another replica is told.</summary>
    /// <exception cref="GeoUnavailableException">There is more than a token holds.</exception>
    internal LatticeMarks Marks(LatticeNode node)
    {
        var (self, reads) = (node.Data.Id, _reads.Merge(VectorClock.Of(node.Data.Id, _ownRead)));
        var writes = _before.Writes.Merge(VectorClock.Of(self, _ownWritten));
        var marks = new LatticeMarks(
            reads.Beyond(node.Peers.Settled(reads, node.Data.Vouched)),
            writes.Beyond(node.Peers.Settled(writes, node.Data.Vouched)),
            Math.Max(_before.Clock, node.Data.Clock.Latest.Time), IsWhole: false);
        return (marks with { IsWhole = _before.IsWhole && marks.Reads.Equals(reads) && marks.Writes.Equals(writes) }).Checked();
    }

    private VectorClock Of(LevelParts ofReads, LevelParts ofWrites) => (_parts & ofReads, _parts & ofWrites) switch
    {
        (0, 0) => VectorClock.Bottom,
        (0, _) => _before.Writes,
        (_, 0) => _before.Reads,
        _ => _before.Reads.Merge(_before.Writes),
    };
}
