// Longer than most: a message that waits, runs, is cancelled and ends changes one set of tables under one lock.
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading.Tasks.Sources;

namespace Geo.Messaging;

/// <summary>
/// Starts a handler for every message that a lane receives, one after another in the order of arrival, and sends back what it returns. The
/// handlers of one received buffer are started by one work item of the pool, beside the receive loop: a handler that blocks holds up those
/// behind it, not the lane's replies and probes. Bounded: when too much waits to be started the lane is not read, and what exceeds the
/// handlers allowed to run at once is refused.
/// </summary>
internal sealed class InboundMessages(LinkContext link, LaneId lane, Replies replies, Action slow)
    : IThreadPoolWorkItem, IValueTaskSource
{
    // As many as wait at most when messages are small; what a lane keeps that has little to do; and what its receive loop takes at once.
    private const int MaxSpare = 4096;
    private const int MaxIdleSpare = 512;
    private const int AtHandAtOnce = 64;

    // What a message that waits costs besides its payload.
    private const int MessageBytes = 256;

    // A lane that always has messages gives way now and then, or it would keep its thread for good.
    private const int StartsBeforeYield = 4096;

    private readonly NodeContext _node = link.Node;
    private readonly PeerIdentity _remote = link.Remote;
    private readonly Lock _lock = new();
    private readonly List<RunningHandler> _arrived = [];
    private readonly Stack<RunningHandler> _atHand = new();
    private readonly Queue<RunningHandler> _unstarted = new();
    private readonly LinkedList<RunningHandler> _running = new();
    private readonly Dictionary<ulong, RunningHandler> _byNumber = [];
    private readonly Stack<RunningHandler> _spare = new();
    private ManualResetValueTaskSourceCore<bool> _room = new() { RunContinuationsAsynchronously = true };
    private TaskCompletionSource? _idle;
    private long _unstartedBytes;
    private bool _waitsForRoom;
    private bool _starts;
    private bool _closed;

    /// <summary>True while the receive loop waits because too many messages wait to be started.</summary>
    public bool HoldsReceiver => Volatile.Read(ref _waitsForRoom);

    /// <summary>How many messages wait to be started.</summary>
    public int Unstarted
    {
        get
        {
            lock (_lock)
            {
                return _unstarted.Count;
            }
        }
    }

    /// <summary>Takes a message in. For the receive loop alone.</summary>
    /// <param name="header">The frame's header.</param>
    /// <param name="preface">What stands between header and payload: the service's name and the trace context.</param>
    /// <param name="payload">The payload, valid during the call.</param>
    public void Add(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
    {
        if (FindHandler(header, preface) is not { } handler)
        {
            return;
        }

        var running = TakeSpare();
        running.Take(header, handler, payload);
        running.Trace = MessagingTraces.Of(header, preface);
        _arrived.Add(running);
    }

    /// <summary>Takes in a large message, behind all that are published; from any of the receive loops of its channel.</summary>
    public void AddLarge(IncomingMessage message)
    {
        if (FindHandler(message.Header, message.Preface) is not { } handler)
        {
            message.Begin();
            message.Release();
            return;
        }

        var running = new RunningHandler(this);
        running.Take(handler, message);
        running.Trace = MessagingTraces.Of(message.Header, message.Preface);
        if (!TryEnqueue(running))
        {
            message.Release();
        }
    }

    /// <summary>Takes in a small message that was held back for a large one, as <see cref="AddLarge"/> does.</summary>
    public void AddHeldBack(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
    {
        if (FindHandler(header, preface) is { } handler)
        {
            var running = new RunningHandler(this);
            running.Take(header, handler, payload);
            running.Trace = MessagingTraces.Of(header, preface);
            TryEnqueue(running);
        }
    }

    // False when the lane has ended.
    private bool TryEnqueue(RunningHandler running)
    {
        bool start;
        lock (_lock)
        {
            if (_closed)
            {
                return false;
            }

            Enqueue(running);
            start = !_starts;
            _starts = true;
        }

        if (start)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }

        return true;
    }

    private ServiceHandler? FindHandler(FrameHeader header, ReadOnlySpan<byte> preface)
    {
        var service = preface[..header.ServiceBytes];
        if (!_node.Handlers.TryFind(service, out var handler) || (handler.ClustersOnly && _remote.Cluster.IsNone))
        {
            replies.Refuse(
                header.Kind == FrameKind.Request, header.Number, "no-handler",
                $"{_node.Options.Peer} has no service '{Encoding.UTF8.GetString(service)}' for {_remote}");
            return null;
        }

        return handler;
    }

    private RunningHandler TakeSpare()
    {
        if (_atHand.Count == 0)
        {
            lock (_lock)
            {
                while (_atHand.Count < AtHandAtOnce && _spare.TryPop(out var spare))
                {
                    _atHand.Push(spare);
                }
            }
        }

        return _atHand.TryPop(out var taken) ? taken : new RunningHandler(this);
    }

    private void Enqueue(RunningHandler running)
    {
        _unstarted.Enqueue(running);
        _unstartedBytes += BytesOf(running);
        if (running.ExpectsReply)
        {
            _byNumber[running.Number] = running;
        }
    }

    /// <summary>Lets the messages that were taken in be started. For the receive loop alone.</summary>
    /// <returns>True when nobody is at it, so that the caller must see to it that this is executed.</returns>
    public bool Publish()
    {
        if (_arrived.Count == 0)
        {
            return false;
        }

        bool start;
        lock (_lock)
        {
            // Once the lane has ended the link that follows has its turn.
            foreach (var running in _closed ? [] : _arrived)
            {
                Enqueue(running);
            }

            start = !_starts && _unstarted.Count > 0;
            _starts |= start;
        }

        _arrived.Clear();
        return start;
    }

    /// <summary>Ends when not too much waits to be started. For the receive loop alone.</summary>
    public ValueTask WhenRoomAsync()
    {
        lock (_lock)
        {
            if (_closed || _unstartedBytes <= _node.Options.MaxUnstartedBytes)
            {
                return default;
            }

            _room.Reset();
            _waitsForRoom = true;
            return new ValueTask(this, _room.Version);
        }
    }

    /// <summary>Asks the handler of a published request to stop; nothing happens when it has ended. For the receive loop alone.</summary>
    public void Cancel(ulong number)
    {
        lock (_lock)
        {
            if (_byNumber.TryGetValue(number, out var running))
            {
                running.Cancel();
            }
        }
    }

    /// <summary>Ends when no handler waits to be started or is just being started.</summary>
    public Task WhenIdleAsync()
    {
        lock (_lock)
        {
            return _starts
                ? (_idle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task
                : Task.CompletedTask;
        }
    }

    /// <summary>Asks all handlers to stop and starts no more, because the lane has ended.</summary>
    /// <returns>How many messages were not started.</returns>
    public int Close()
    {
        bool room;
        int lost;
        lock (_lock)
        {
            _closed = true;
            lost = _unstarted.Count;
            foreach (var running in _unstarted)
            {
                running.Large?.Release();
            }

            _unstarted.Clear();
            _unstartedBytes = 0;
            foreach (var running in _running)
            {
                running.Cancel();
            }

            room = _waitsForRoom;
            _waitsForRoom = false;
        }

        if (room)
        {
            _room.SetResult(true);
        }

        return lost;
    }

    /// <summary>Sends the reply of a handler that has gone on by itself and has ended.</summary>
    public void Finish(RunningHandler running, ConfiguredValueTaskAwaitable<ReadOnlyMemory<byte>>.ConfiguredValueTaskAwaiter awaiter)
    {
        Answer(running, awaiter);
        lock (_lock)
        {
            Forget(running);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        var burst = _node.Bursts.Begin(slow);
        RunningHandler? ended = null;
        var starts = 0;
        while (TryTake(ended, starts, out var next, out var mayRun))
        {
            ended = Start(next, mayRun) ? next : null;
            if (burst.Step())
            {
                slow();
            }

            if (++starts >= StartsBeforeYield && ended is null)
            {
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
                break;
            }
        }

        _node.Bursts.End(burst);
    }

    void IValueTaskSource.GetResult(short token) => _room.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _room.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _room.OnCompleted(continuation, state, token, flags);

    // Large ones do not hold up the lane that carries the small ones: what may wait of them is bounded by what their sender may send.
    private static int BytesOf(RunningHandler running) => running.IsLarge ? 0 : running.Payload.Length + MessageBytes;

    // The next message to start, and room for it among the running ones; forgets the one that has just ended.
    private bool TryTake(RunningHandler? ended, int started, [NotNullWhen(true)] out RunningHandler? next, out bool mayRun)
    {
        bool room;
        TaskCompletionSource? idle = null;
        lock (_lock)
        {
            if (ended is not null)
            {
                Forget(ended);
            }

            mayRun = false;
            if (_unstarted.TryDequeue(out next))
            {
                _unstartedBytes -= BytesOf(next);
                mayRun = link.Handlers.TryEnter();
                next.Counts = mayRun;
                _running.AddLast(next.Place);
            }
            else
            {
                _starts = false;
                while (_spare.Count > Math.Max(MaxIdleSpare, started))
                {
                    _spare.Pop();
                }

                (idle, _idle) = (_idle, null);
            }

            room = _waitsForRoom && _unstartedBytes <= _node.Options.MaxUnstartedBytes / 2;
            _waitsForRoom &= !room;
        }

        if (room)
        {
            _room.SetResult(true);
        }

        idle?.SetResult();
        next?.Large?.Begin();
        return next is not null;
    }

    // True when the handler has ended already.
    private bool Start(RunningHandler running, bool mayRun)
    {
        if (!mayRun)
        {
            replies.Refuse(
                running.ExpectsReply, running.Number, "too-many-handlers",
                $"{_node.Options.Peer} runs {_node.Options.MaxRunningHandlers} handlers for {_remote} already");
            return true;
        }

        running.Began = _node.Metrics.TimesHandlers ? _node.Time.GetTimestamp() : null;
        running.Span = MessagingTraces.StartHandler(running, _node.Options.Peer, _remote.Peer, lane);
        ValueTask<ReadOnlyMemory<byte>> task;
        try
        {
            task = running.Handler.Invoke(
                new PeerMessage(_remote.Peer, _remote.Cluster, running.Handler.Service, running.Payload, running.ExpectsReply),
                running.Token);
        }
#pragma warning disable CA1031 // Whatever a handler throws ends its own request and not the lane.
        catch (Exception e)
#pragma warning restore CA1031
        {
            task = ValueTask.FromException<ReadOnlyMemory<byte>>(e);
        }

        if (running.Span is not null)
        {
            // The handler's own context keeps the span; this thread goes on to messages of others.
            Activity.Current = null;
        }

        if (!task.IsCompleted)
        {
            running.Await(task);
            return false;
        }

        Answer(running, task.ConfigureAwait(false).GetAwaiter());
        return true;
    }

    private void Answer(RunningHandler running, ConfiguredValueTaskAwaitable<ReadOnlyMemory<byte>>.ConfiguredValueTaskAwaiter awaiter)
    {
        try
        {
            var reply = awaiter.GetResult();
            NoteHandled(running, "done");
            if (running.ExpectsReply)
            {
                replies.Send(running, reply);
            }

            MessagingTraces.EndHandler(running.Span, null);
        }
        catch (OperationCanceledException e) when (running.Token.IsCancellationRequested)
        {
            // The requester no longer waits: there is nobody to tell.
            NoteHandled(running, "given-up");
            MessagingTraces.EndHandler(running.Span, e);
        }
#pragma warning disable CA1031 // Whatever a handler throws ends its own request and not the lane.
        catch (Exception e)
#pragma warning restore CA1031
        {
            NoteHandled(running, "failed");
            MessagingTraces.EndHandler(running.Span, e);
            replies.Fail(running, e);
        }
    }

    private void NoteHandled(RunningHandler running, string outcome) => _node.Metrics.Handled(
        running.Handler.Service, outcome, running.Began is { } began ? _node.Time.GetElapsedTime(began) : null, _remote.Peer, lane);

    // Under the lock, so that no cancellation meant for this message hits the next one.
    private void Forget(RunningHandler running)
    {
        _running.Remove(running.Place);
        if (running.ExpectsReply)
        {
            _byNumber.Remove(running.Number);
        }

        if (running.Counts)
        {
            link.Handlers.Leave();
        }

        running.End();
        if (_spare.Count < MaxSpare)
        {
            _spare.Push(running);
        }
    }
}
