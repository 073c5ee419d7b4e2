namespace Geo.Messaging;

/// <summary>
/// All connections to one peer. It is up as long as every one of them is, so that the lane of a partition key never changes while the link
/// lasts, and order per key with it.
/// </summary>
internal sealed class PeerLink
{
    private readonly LinkContext _context;
    private readonly Lane[] _lanes;
    private readonly Range[] _byChannel;
    private readonly long _since;
    private string? _endReason;
    private int _connections;

    /// <param name="context">What the lanes share. The node's channels that the link does not have use the default channel's lanes.</param>
    /// <param name="lanes">The lanes that are opened with the link, in the plan's order.</param>
    public PeerLink(LinkContext context, Lane[] lanes)
    {
        (_context, _lanes, _since) = (context, lanes, context.Node.Time.GetTimestamp());
        RemoteHash = PartitionKey.From(Remote.Peer.Name).Mix();
        _byChannel = [.. context.Node.Channels.All.Select(channel => LanesOf(channel.Name))];
        Ended = EndTogetherAsync(context.Node.Time, context.Node.Options.DeadLinkAfter);
    }

    public PeerIdentity Remote => _context.Remote;

    /// <summary>A well-mixed number of the remote's name, for choosing among peers and lanes.</summary>
    public ulong RemoteHash { get; }

    public LinkTerms Terms => _context.Terms;

    /// <summary>How many bytes of large messages may be on the way.</summary>
    public LinkBudget Budget => _context.Budget;

    /// <summary>The link that this one replaces; null for none, or once this one is in use.</summary>
    public PeerLink? Predecessor { get; set; }

    /// <summary>Its connections that the node counts; not those of bulk lanes, which come and go.</summary>
    public int Connections => Volatile.Read(ref _connections);

    public int PendingRequests => _context.Requests.Count;

    public int RunningHandlers => _context.Account.Handlers.Count;

    public bool WasDialledHere => _context.OpenLane is not null;

    public Lane[] Lanes => _lanes;

    /// <summary>False once the link is ending: nothing more can be sent on it.</summary>
    public bool IsOpen => Volatile.Read(ref _endReason) is null && Array.TrueForAll(_lanes, static lane => lane.IsOpen);

    /// <summary>True when so long nothing was received, though it may have come, that the remote may have given the link up.</summary>
    public bool IsSilent => Array.TrueForAll(_lanes, lane => lane.Silence > _context.Node.Options.DeadLinkAfter);

    /// <summary>Ends, with the reason, when all connections have.</summary>
    public Task<string> Ended { get; }

    public Member Member => new(Remote.Peer, Remote.Cluster, Remote.Incarnation);

    /// <summary>The link as those who watch it see it.</summary>
    public LinkStatus Status => new()
    {
        Peer = Remote.Peer.Name,
        Cluster = Remote.Cluster,
        WasDialledHere = WasDialledHere,
        Age = _context.Node.Time.GetElapsedTime(_since),
        RoundTrip = _context.RoundTrip,
        QueuedBytes = _lanes.Sum(lane => lane.Sender.QueuedBytes),
        Fill = _lanes.Max(lane => lane.Sender.Fill),
        PendingRequests = PendingRequests,
    };

    /// <summary>The lane of a key: the same one as long as the link lasts (Partisan section 4.3).</summary>
    public Lane LaneFor(int channel, PartitionKey key)
    {
        var (offset, count) = _byChannel[channel].GetOffsetAndLength(_lanes.Length);
        return _lanes[count == 1 ? offset : offset + (int)(StableHash.Mix(key.Mix() ^ RemoteHash) % (ulong)count)];
    }

    /// <summary>Counts the connections, which were accepted, until the link ends.</summary>
    /// <param name="replaced">What ends for it; null for none.</param>
    /// <returns>False when there are too many.</returns>
    public bool TryCount(PeerLink? replaced)
    {
        var (share, credit) = (_context.Account.Connections, replaced?.Connections ?? 0);
        if (!share.TryTake(_lanes.Length, credit))
        {
            return false;
        }

        if (credit > 0 && replaced!.Connections == 0)
        {
            // It has just ended by itself, and must not be credited twice.
            share.Return(_lanes.Length);
            if (!share.TryTake(_lanes.Length))
            {
                return false;
            }
        }

        Volatile.Write(ref _connections, _lanes.Length);
        return true;
    }

    /// <summary>
    /// Starts sending and receiving on all connections, once the handlers of what the link before brought have been started. One that
    /// blocks is not waited for: it has been started, and what waits behind it never will be.
    /// </summary>
    public async Task StartAsync()
    {
        if (Predecessor is { } before)
        {
            await Task.WhenAny(before.Ended, Task.Delay(LaneDispatch.HandOverTime, _context.Node.Time));
            before.End("replaced by a newer link");
            Predecessor = null;
        }

        foreach (var lane in _lanes)
        {
            lane.Start();
        }
    }

    public void Probe(bool judge)
    {
        foreach (var lane in _lanes)
        {
            lane.Probe(judge);
        }
    }

    /// <summary>Lets out what is queued, tells the remote why, and ends.</summary>
    public Task LeaveAsync(string reason, TimeSpan patience) => Task.WhenAll(_lanes.Select(lane => lane.LeaveAsync(reason, patience)));

    public void End(string reason)
    {
        Interlocked.CompareExchange(ref _endReason, reason, null);
        foreach (var lane in _lanes)
        {
            lane.End(reason);
        }

        _context.Account.Connections.Return(Interlocked.Exchange(ref _connections, 0));
    }

    /// <summary>Adds a bulk lane that the remote dialled.</summary>
    /// <returns>Ends with it; null when the link does not have it, has it already, or has ended.</returns>
    public Task? TryAdd(LaneId id, IWireConnection wire) =>
        id.Number > 0 && Array.Find(_lanes, lane => lane.Id == id with { Number = 0 }) is { } lane
            ? lane.Pieces.Lanes.TryAdd(id, wire)
            : null;

    private Range LanesOf(string channel)
    {
        var first = Array.FindIndex(_lanes, lane => lane.Id.Channel == channel);
        return first < 0 ? LanesOf(_lanes[0].Id.Channel) : first..(first + _lanes.Count(lane => lane.Id.Channel == channel));
    }

    private async Task<string> EndTogetherAsync(TimeProvider time, TimeSpan patience)
    {
        var all = Task.WhenAll(_lanes.Select(lane => lane.Ended));
        var reason = await await Task.WhenAny(_lanes.Select(lane => lane.Ended));
        Interlocked.CompareExchange(ref _endReason, reason, null);
        if (!all.IsCompleted && Array.Exists(_lanes, lane => lane.IsLeaving))
        {
            // A peer that leaves lets out what each connection has queued: the others are given the time for it.
            await Task.WhenAny(all, Task.Delay(patience, time));
        }

        End(reason);
        await all;
        return _endReason;
    }
}
