namespace Geo.Messaging;

/// <summary>
/// Sees to it that users' code for what a lane receives is run, handlers and what follows replies: between two receives where there is one
/// kind of it, else beside the receive loop.
/// </summary>
internal sealed class LaneDispatch
{
    /// <summary>
    /// How long a handler may block, once its link ends, before what waits behind it is given up, so that its peer can come back.
    /// </summary>
    public static readonly TimeSpan HandOverTime = TimeSpan.FromMilliseconds(100);

    private static readonly TimeSpan LongestLast = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _time;
    private readonly Interlude _interlude = new();

    public LaneDispatch(LinkContext link, HandlerCalls calls)
    {
        _time = link.Node.Time;
        Inbound = new InboundMessages(link, calls, _interlude.Cut);
        Replied = new EndedRequests(link.Node.Bursts, _interlude.Cut);
    }

    /// <summary>The messages whose handlers are to be started, or run.</summary>
    public InboundMessages Inbound { get; }

    public EndedRequests Replied { get; }

    /// <summary>Runs it, and ends when more may be received. For the receive loop alone.</summary>
    public ValueTask RunAsync()
    {
        var replied = Replied.Publish();
        var arrived = Inbound.Publish();
        var room = Inbound.WhenRoomAsync();
        if (room.IsCompleted && replied != arrived)
        {
            return _interlude.RunAsync(replied ? Replied : Inbound);
        }

        // Neither waits behind the other.
        Execute(replied, arrived);
        return room;
    }

    /// <summary>Runs it beside the receive loop. For the receive loop alone.</summary>
    public void RunInPool() => Execute(Replied.Publish(), Inbound.Publish());

    /// <summary>
    /// Starts what arrived before the lane's end, and so before anything of the link that follows. Behind a handler that blocks it is
    /// dropped, and counted, with the lane.
    /// </summary>
    public async Task StartTheLastAsync()
    {
        RunInPool();
        var began = _time.GetTimestamp();
        int left;
        do
        {
            left = Inbound.Unstarted;
        }
        while (!await IsIdleInAsync(HandOverTime) && Inbound.Unstarted < left && _time.GetElapsedTime(began) < LongestLast);
    }

    /// <summary>Ends with true when no handler waits to be started or is just being started, with false when that takes longer.</summary>
    public async Task<bool> IsIdleInAsync(TimeSpan time)
    {
        var idle = Inbound.WhenIdleAsync();
        await idle.WaitAsync(time, _time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return idle.IsCompleted;
    }

    private void Execute(bool replied, bool arrived)
    {
        if (replied)
        {
            ThreadPool.UnsafeQueueUserWorkItem(Replied, preferLocal: false);
        }

        if (arrived)
        {
            ThreadPool.UnsafeQueueUserWorkItem(Inbound, preferLocal: false);
        }
    }
}
