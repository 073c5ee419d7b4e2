namespace Geo.Messaging.Overlays;

/// <summary>
/// What has come of each origin's broadcasts: tells new messages from old ones, puts them in order, and keeps the latest for peers that
/// miss them.
/// </summary>
internal sealed class BroadcastLog(PlumtreeOptions options, PlumtreeCounts counts, IBroadcastOutlet outlet)
{
    private readonly Dictionary<PeerId, OriginStream> _streams = [];
    private readonly KeptMessages _kept = new(options.KeptMessages, options.KeptBytes);
    private long _waitingBytes;

    /// <summary>True when the message has not come before, nor been overtaken by a later incarnation of its origin.</summary>
    public bool IsNew(BroadcastId id) =>
        !_streams.TryGetValue(id.Origin, out var stream) || stream.Incarnation < id.Incarnation
        || (stream.Incarnation == id.Incarnation && !stream.Has(id.Sequence));

    /// <summary>Takes a new message and delivers what is now in order.</summary>
    /// <param name="id">The message.</param>
    /// <param name="payload">Its payload.</param>
    /// <param name="hops">How many links it has passed.</param>
    /// <param name="from">The neighbour that brought it; the origin itself at the origin.</param>
    /// <param name="now">The time.</param>
    public void Add(BroadcastId id, ReadOnlyMemory<byte> payload, int hops, PeerId from, TimeSpan now)
    {
        _kept.Add(id, new KeptMessage(payload, hops, from));
        var stream = StreamOf(id, 0, now);
        stream.Heard = now;
        if (stream.Has(id.Sequence))
        {
            return;
        }

        if (stream.Waiting.Count == 0)
        {
            stream.GapSince = now;
        }

        stream.Waiting.Add(id.Sequence, (payload, hops));
        Count(stream, payload.Length);
        DeliverInOrder(id.Origin, stream, now);
        if (stream.Waiting.Count > options.WaitingMessages)
        {
            SkipGap(id.Origin, stream, now);
        }

        while (_waitingBytes > options.WaitingBytes)
        {
            var (origin, largest) = _streams.MaxBy(each => each.Value.WaitingBytes);
            SkipGap(origin, largest, now);
        }
    }

    /// <summary>A message that is kept; null when it is not.</summary>
    public KeptMessage? Find(BroadcastId id) => _kept.Find(id);

    /// <summary>Gives up on messages that others have been waiting for too long.</summary>
    public void SkipGaps(TimeSpan now)
    {
        foreach (var (origin, stream) in _streams)
        {
            if (stream.Waiting.Count > 0 && now - stream.GapSince >= options.GapTimeout)
            {
                SkipGap(origin, stream, now);
            }
        }
    }

    /// <summary>How far this peer is with every origin it knows.</summary>
    public IReadOnlyList<BroadcastMark> Marks()
    {
        var firstKept = _kept.Ids.GroupBy(id => (id.Origin, id.Incarnation))
            .ToDictionary(ids => ids.Key, ids => ids.Min(id => id.Sequence));
        return [.. _streams.Select(stream => new BroadcastMark(
            new BroadcastId(stream.Key, stream.Value.Incarnation, stream.Value.Last),
            firstKept.TryGetValue((stream.Key, stream.Value.Incarnation), out var first)
                ? Math.Min(first, stream.Value.Last + 1)
                : stream.Value.Last + 1))];
    }

    /// <summary>Starts the streams that a neighbour knows and this peer does not.</summary>
    /// <param name="marks">How far the neighbour is.</param>
    /// <param name="fresh">True when this peer has just joined: what was delivered before is none of its business.</param>
    /// <param name="now">The time.</param>
    public void Adopt(IEnumerable<BroadcastMark> marks, bool fresh, TimeSpan now)
    {
        foreach (var mark in marks)
        {
            StreamOf(mark.Last, fresh ? mark.Last.Sequence : Math.Min(mark.FirstKept, mark.Last.Sequence + 1) - 1, now);
        }
    }

    /// <summary>The kept messages that a neighbour lacks.</summary>
    public IReadOnlyList<BroadcastId> LackedBy(IEnumerable<BroadcastMark> marks)
    {
        var theirs = marks.ToDictionary(mark => mark.Last.Origin, mark => mark.Last);
        return [.. _kept.Ids.Where(id => !theirs.TryGetValue(id.Origin, out var last)
            || last.Incarnation < id.Incarnation || (last.Incarnation == id.Incarnation && last.Sequence < id.Sequence))];
    }

    private OriginStream StreamOf(BroadcastId id, ulong last, TimeSpan now)
    {
        if (_streams.TryGetValue(id.Origin, out var stream) && stream.Incarnation >= id.Incarnation)
        {
            return stream;
        }

        if (stream is null && _streams.Count >= options.Origins)
        {
            _streams.Remove(_streams.MinBy(known => known.Value.Heard).Key, out var forgotten);
            Count(forgotten!, -forgotten!.WaitingBytes);
        }

        if (stream is not null)
        {
            Count(stream, -stream.WaitingBytes);
        }

        return _streams[id.Origin] = new OriginStream(id.Incarnation, last) { Heard = now };
    }

    private void Count(OriginStream stream, long bytes)
    {
        stream.WaitingBytes += bytes;
        _waitingBytes += bytes;
    }

    private void DeliverInOrder(PeerId origin, OriginStream stream, TimeSpan now)
    {
        while (stream.Waiting.Remove(stream.Last + 1, out var next))
        {
            stream.Last++;
            Count(stream, -next.Payload.Length);
            stream.GapSince = now;
            counts.Delivered++;
            outlet.Deliver(new BroadcastId(origin, stream.Incarnation, stream.Last), next.Payload, next.Hops);
        }
    }

    private void SkipGap(PeerId origin, OriginStream stream, TimeSpan now)
    {
        var next = stream.Waiting.First().Key;
        counts.Lost += (long)(next - stream.Last - 1);
        stream.Last = next - 1;
        DeliverInOrder(origin, stream, now);
    }
}
