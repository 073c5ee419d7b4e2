namespace Geo.Messaging;

/// <summary>
/// All connections to one peer. It is up as long as every one of them is, so that the lane of a partition key never changes while the link
/// lasts, and order per key with it.
/// </summary>
internal sealed class PeerLink
{
    private readonly Lane[] _lanes;
    private readonly Range[] _byChannel;
    private readonly BulkChannel[] _bulk;
    private string? _endReason;

    /// <param name="remote">Who is at the other end.</param>
    /// <param name="terms">What both sides agreed on.</param>
    /// <param name="lanes">The lanes that are opened with the link, in the plan's order.</param>
    /// <param name="context">The node's; its channels that the link does not have share the default channel's lanes.</param>
    /// <param name="openLane">Opens a bulk lane; null on the accepting side, which asks the dialler to.</param>
    public PeerLink(
        PeerIdentity remote, LinkTerms terms, Lane[] lanes, LaneContext context, Func<LaneId, Task<IWireConnection>>? openLane = null)
    {
        (Remote, Terms, _lanes, OpenLane) = (remote, terms, lanes, openLane);
        RemoteHash = PartitionKey.From(remote.Peer.Name).Mix();
        _byChannel = [.. context.Channels.All.Select(channel => LanesOf(channel.Name))];
        Budget = new LinkBudget(context.Options.MinInFlightBytes, context.Options.MaxInFlightBytes, context.Time);
        _bulk = [.. lanes.Select(Join).OfType<BulkChannel>()];

        BulkChannel? Join(Lane lane)
        {
            var bulk = terms.Plan.WithBulkLanes(lane.Id, terms.Version) is { } channel
                ? new BulkChannel(context, this, lane, channel.Parallelism - 1, terms.RemoteGathersBytes, Budget)
                : null;
            lane.Join(Budget, bulk);
            return bulk;
        }

        Ended = EndTogetherAsync(context.Time, context.Options.DeadLinkAfter);
    }

    /// <summary>Who is at the other end.</summary>
    public PeerIdentity Remote { get; }

    /// <summary>A well-mixed number of the remote's name, for choosing among peers and lanes.</summary>
    public ulong RemoteHash { get; }

    /// <summary>What both sides agreed on.</summary>
    public LinkTerms Terms { get; }

    /// <summary>How many bytes of large messages may be on the way.</summary>
    public LinkBudget Budget { get; }

    /// <summary>Ends when the link that this one replaces has.</summary>
    public Task Predecessor { get; set; } = Task.CompletedTask;

    /// <summary>Opens a bulk lane; null on the accepting side.</summary>
    public Func<LaneId, Task<IWireConnection>>? OpenLane { get; }

    /// <summary>The channels whose large messages are striped.</summary>
    public BulkChannel[] Bulk => _bulk;

    /// <summary>The connections that were opened with the link.</summary>
    public Lane[] Lanes => _lanes;

    /// <summary>False once the link is ending: nothing more can be sent on it.</summary>
    public bool IsOpen => Volatile.Read(ref _endReason) is null && Array.TrueForAll(_lanes, static lane => lane.IsOpen);

    /// <summary>Ends, with the reason, when all connections have.</summary>
    public Task<string> Ended { get; }

    /// <summary>The peer as its users see it.</summary>
    public Member Member => new(Remote.Peer, Remote.Cluster, Remote.Incarnation);

    /// <summary>The lane of a key: the same one as long as the link lasts (Partisan section 4.3).</summary>
    public Lane LaneFor(int channel, PartitionKey key)
    {
        var (offset, count) = _byChannel[channel].GetOffsetAndLength(_lanes.Length);
        return _lanes[count == 1 ? offset : offset + (int)(StableHash.Mix(key.Mix() ^ RemoteHash) % (ulong)count)];
    }

    /// <summary>Starts sending and receiving on all connections.</summary>
    public void Start()
    {
        foreach (var lane in _lanes)
        {
            lane.Start();
        }
    }

    /// <summary>Probes all connections.</summary>
    public void Probe(bool judge)
    {
        foreach (var lane in _lanes)
        {
            lane.Probe(judge);
        }

        foreach (var bulk in _bulk)
        {
            bulk.Probe(judge);
        }
    }

    /// <summary>Lets out what is queued, tells the remote why, and ends.</summary>
    public Task LeaveAsync(string reason, TimeSpan patience) => Task.WhenAll(_lanes.Select(lane => lane.LeaveAsync(reason, patience)));

    /// <summary>Ends the link at once.</summary>
    public void End(string reason)
    {
        Interlocked.CompareExchange(ref _endReason, reason, null);
        foreach (var lane in _lanes)
        {
            lane.End(reason);
        }

        foreach (var bulk in _bulk)
        {
            bulk.End();
        }
    }

    /// <summary>Adds a bulk lane that the remote dialled.</summary>
    /// <returns>False when the link does not have it, has it already, or has ended.</returns>
    public bool TryAdd(LaneId id, IWireConnection wire) =>
        id.Number > 0 && Array.Find(_bulk, bulk => bulk.Id.Channel == id.Channel) is { } bulk && bulk.TryAdd(id, wire);

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
