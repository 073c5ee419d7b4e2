namespace Geo.Messaging;

/// <summary>
/// All connections to one peer. It is up as long as every one of them is, so that the lane of a partition key never changes while the link
/// lasts, and order per key with it.
/// </summary>
internal sealed class PeerLink
{
    private readonly Range[] _byChannel;
    private readonly long _since;
    private string? _endReason;
    private int _connections;

    /// <summary>
    /// Creates it with the lanes that open with it, in the plan's order. Channels of the node that it lacks use the default channel's.
    /// </summary>
    public PeerLink(LinkContext context, Lane[] lanes)
    {
        (Context, Lanes, _since) = (context, lanes, context.Node.Time.GetTimestamp());
        RemoteHash = PartitionKey.From(Remote.Peer.Name).Mix();
        _byChannel = [.. context.Node.Channels.All.Select(channel => LanesOf(channel.Name))];
        Ended = EndTogetherAsync(context.Node.Time, context.Node.Options.DeadLinkAfter);
    }

    public LinkContext Context { get; }

    public PeerIdentity Remote => Context.Remote;

    /// <summary>A well-mixed number of the remote's name, for choosing among peers and lanes.</summary>
    public ulong RemoteHash { get; }

    /// <summary>The link that this one replaces; null for none, or once this one is in use.</summary>
    public PeerLink? Predecessor { get; set; }

    /// <summary>Its connections that the node counts; not those of bulk lanes, which come and go.</summary>
    public int Connections => Volatile.Read(ref _connections);

    public bool WasDialledHere => Context.OpenLane is not null;

    public Lane[] Lanes { get; }

    /// <summary>False once the link is ending: nothing more can be sent on it.</summary>
    public bool IsOpen => Volatile.Read(ref _endReason) is null && Array.TrueForAll(Lanes, static lane => lane.IsOpen);

    /// <summary>True when so long nothing was received, though it may have come, that the remote may have given the link up.</summary>
    public bool IsSilent => Array.TrueForAll(Lanes, lane => lane.Silence > Context.Node.Options.DeadLinkAfter);

    /// <summary>Ends, with the reason, when all connections have.</summary>
    public Task<string> Ended { get; }

    public Member Member => new(Remote.Peer, Remote.Cluster, Remote.Incarnation);

    public LinkStatus Status => new()
    {
        Peer = Remote.Peer.Name,
        Cluster = Remote.Cluster,
        WasDialledHere = WasDialledHere,
        Age = Context.Node.Time.GetElapsedTime(_since),
        RoundTrip = Context.RoundTrip,
        QueuedBytes = Lanes.Sum(lane => lane.Sender.QueuedBytes),
        Fill = Lanes.Max(lane => lane.Sender.Fill),
        PendingRequests = Context.Requests.Count,
    };

    /// <summary>The lane of a key: the same one as long as the link lasts (Partisan section 4.3).</summary>
    public Lane LaneFor(int channel, PartitionKey key)
    {
        var (offset, count) = _byChannel[channel].GetOffsetAndLength(Lanes.Length);
        return Lanes[count == 1 ? offset : offset + (int)(StableHash.Mix(key.Mix() ^ RemoteHash) % (ulong)count)];
    }

    /// <summary>Counts the connections, which were accepted, until the link ends.</summary>
    /// <returns>False when there are too many.</returns>
    public bool TryCount(PeerLink? replaced)
    {
        var share = Context.Account.Connections;
        var credit = replaced?.Connections ?? 0;
        var hasRoom = share.TryTake(Lanes.Length, credit);
        if (hasRoom && credit > 0 && replaced!.Connections == 0)
        {
            // It may just have ended by itself, and must not be credited twice.
            share.Return(Lanes.Length);
            hasRoom = share.TryTake(Lanes.Length);
        }

        Volatile.Write(ref _connections, hasRoom ? Lanes.Length : 0);
        return hasRoom;
    }

    /// <summary>
    /// Starts sending and receiving on all connections, once the handlers of what the link before brought have been started. One that
    /// blocks is not waited for: it has been started, and what waits behind it never will be.
    /// </summary>
    public async Task StartAsync()
    {
        if (Predecessor is { } before)
        {
            await Task.WhenAny(before.Ended, Task.Delay(LaneDispatch.HandOverTime, Context.Node.Time));
            before.End("replaced by a newer link");
            Predecessor = null;
        }

        Array.ForEach(Lanes, static lane => lane.Start());
    }

    public void Probe(bool judge) => Array.ForEach(Lanes, lane => lane.Probe(judge));

    /// <summary>Lets out what is queued, tells the remote why, and ends.</summary>
    public Task LeaveAsync(string reason, TimeSpan patience) => Task.WhenAll(Lanes.Select(lane => lane.LeaveAsync(reason, patience)));

    public void End(string reason)
    {
        Interlocked.CompareExchange(ref _endReason, reason, null);
        Array.ForEach(Lanes, lane => lane.End(reason));

        Context.Account.Connections.Return(Interlocked.Exchange(ref _connections, 0));
    }

    /// <summary>Adds a bulk lane that the remote dialled.</summary>
    /// <returns>Ends with it; null when the link does not have it, has it already, or has ended.</returns>
    public Task? TryAdd(LaneId id, IWireConnection wire) =>
        id.Number > 0 && Array.Find(Lanes, lane => lane.Id == id with { Number = 0 }) is { } lane
            ? lane.Pieces.Lanes.TryAdd(id, wire)
            : null;

    private Range LanesOf(string channel)
    {
        var first = Array.FindIndex(Lanes, lane => lane.Id.Channel == channel);
        return first < 0 ? LanesOf(Lanes[0].Id.Channel) : first..(first + Lanes.Count(lane => lane.Id.Channel == channel));
    }

    private async Task<string> EndTogetherAsync(TimeProvider time, TimeSpan patience)
    {
        var all = Task.WhenAll(Lanes.Select(lane => lane.Ended));
        var reason = await await Task.WhenAny(Lanes.Select(lane => lane.Ended));
        Interlocked.CompareExchange(ref _endReason, reason, null);
        if (!all.IsCompleted && Array.Exists(Lanes, lane => lane.IsLeaving))
        {
            // A peer that leaves lets out what each connection has queued: the others are given the time for it.
            await Task.WhenAny(all, Task.Delay(patience, time));
        }

        End(reason);
        await all;
        return _endReason;
    }
}
