// Longer than most: a message that waits, runs, is cancelled and ends changes one set of tables under one lock.
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Awaiter = System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable<System.ReadOnlyMemory<byte>>.ConfiguredValueTaskAwaiter;

namespace Geo.Messaging;

/// <summary>
/// Starts a handler for every message that a lane receives, one after another in the order of arrival. The handlers of one received buffer
/// are started by one work item of the pool, beside the receive loop: a handler that blocks holds up those behind it, not the lane's
/// replies and probes. Bounded: when too much waits to be started the lane is not read, and what exceeds the handlers allowed to run at
/// once is refused.
/// </summary>
internal sealed class InboundMessages(LinkContext link, HandlerCalls calls, Action slow) : IThreadPoolWorkItem
{
    // What a message that waits costs besides its payload.
    private const int MessageBytes = 256;

    // A lane that always has messages gives way now and then, or it would keep its thread for good.
    private const int StartsBeforeYield = 4096;

    private readonly NodeContext _node = link.Node;
    private readonly Lock _lock = new();
    private readonly List<RunningHandler> _arrived = [];
    private readonly Stack<RunningHandler> _atHand = new();
    private readonly SpareHandlers _spare = new();
    private readonly Queue<RunningHandler> _unstarted = new();
    private readonly LinkedList<RunningHandler> _running = new();
    private readonly Dictionary<ulong, RunningHandler> _byNumber = [];
    private readonly Waiters _room = new();
    private readonly Waiters _idle = new();
    private readonly LaneShare _memory = new(link.Account.Small);
    private long _unstartedBytes;
    private bool _starts;
    private bool _closed;

    /// <summary>True while the receive loop waits because too many messages wait to be started.</summary>
    public bool HoldsReceiver => _room.Any;

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

    /// <summary>Takes a message in, whose payload is valid during the call. For the receive loop alone.</summary>
    public void Add(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
    {
        if (calls.Find(header, preface) is { } handler)
        {
            var running = TakeSpare();
            running.Take(header, preface, handler, payload);
            _arrived.Add(running);
        }
    }

    /// <summary>
    /// Takes in a message behind all that are published: a large one, or a small one that was held back for one. From any of the receive
    /// loops of its channel.
    /// </summary>
    public void AddBehind(HeldMessage message)
    {
        if (calls.Find(message.Header, message.Preface) is not { } handler)
        {
            message.Begin();
            message.Release();
            return;
        }

        var running = new RunningHandler(this);
        running.Take(message.Header, message.Preface, handler, message.Payload, message);
        if (Enqueue([running]))
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <summary>Lets the messages that were taken in be started. For the receive loop alone.</summary>
    /// <returns>True when nobody is at it, so that the caller must see to it that this is executed.</returns>
    public bool Publish()
    {
        var start = _arrived.Count > 0 && Enqueue(CollectionsMarshal.AsSpan(_arrived));
        _arrived.Clear();
        return start;
    }

    /// <summary>Ends when not too much waits to be started. For the receive loop alone.</summary>
    public ValueTask WhenRoomAsync()
    {
        lock (_lock)
        {
            return _closed || _unstartedBytes <= _node.Options.MaxUnstartedBytes ? default : new ValueTask(_room.Wait());
        }
    }

    /// <summary>Asks the handler of a published request to stop; nothing happens when it has ended. For the receive loop alone.</summary>
    public void Cancel(ulong number)
    {
        lock (_lock)
        {
            _byNumber.GetValueOrDefault(number)?.Cancel();
        }
    }

    /// <summary>Ends when no handler waits to be started or is just being started.</summary>
    public Task WhenIdleAsync()
    {
        lock (_lock)
        {
            return _starts ? _idle.Wait() : Task.CompletedTask;
        }
    }

    /// <summary>Asks all handlers to stop and starts no more, because the lane has ended.</summary>
    public void Close()
    {
        int lost;
        lock (_lock)
        {
            _closed = true;
            lost = _unstarted.Count;
            foreach (var running in _unstarted)
            {
                running.Held?.Release();
                _memory.Return(running.CountedBytes);
            }

            _memory.Close();
            _unstarted.Clear();
            _unstartedBytes = 0;
            foreach (var running in _running)
            {
                running.Cancel();
            }

            _room.End();
        }

        calls.Lose(lost);
    }

    /// <summary>Sends the reply of a handler that has gone on by itself and has ended.</summary>
    public void Finish(RunningHandler running, Awaiter awaiter)
    {
        calls.Answer(running, awaiter);
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
        while (TryTake(ended, starts, out var next))
        {
            if (next.Refusal is null)
            {
                ended = calls.Start(next) ? next : null;
            }
            else
            {
                calls.Refuse(next);
                ended = next;
            }

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

    private RunningHandler TakeSpare()
    {
        if (_atHand.Count == 0)
        {
            lock (_lock)
            {
                _spare.MoveTo(_atHand);
            }
        }

        return _atHand.TryPop(out var taken) ? taken : new RunningHandler(this);
    }

    // True when nobody starts them. Once the lane has ended the link that follows has its turn.
    private bool Enqueue(ReadOnlySpan<RunningHandler> arrived)
    {
        lock (_lock)
        {
            if (!_closed)
            {
                foreach (var running in arrived)
                {
                    Enqueue(running);
                }

                var start = !_starts;
                _starts = true;
                return start;
            }
        }

        calls.Lose(arrived.Length);
        foreach (var running in arrived)
        {
            running.Held?.Release();
        }

        return false;
    }

    private void Enqueue(RunningHandler running)
    {
        // What is held is counted already, and does not hold up the lane that carries the small ones.
        if (running.Held is null)
        {
            running.Bytes = running.Payload.Length + MessageBytes;
            running.HasRoom = _memory.TryTake(running.Bytes);
            if (!running.HasRoom)
            {
                running.DropPayload();
                running.Bytes = MessageBytes;
            }
        }

        _unstarted.Enqueue(running);
        _unstartedBytes += running.Bytes;
        if (running.ExpectsReply)
        {
            _byNumber[running.Number] = running;
        }
    }

    // The next message to start, counted among the running ones where there is room for it; forgets the one that has just ended.
    private bool TryTake(RunningHandler? ended, int started, [NotNullWhen(true)] out RunningHandler? next)
    {
        lock (_lock)
        {
            if (ended is not null)
            {
                Forget(ended);
            }

            if (_unstarted.TryDequeue(out next))
            {
                _unstartedBytes -= next.Bytes;
                next.Refusal = calls.RefusalOf(next) ?? (link.Account.Handlers.TryEnter() ? null : HandlerCalls.TooManyHandlers);
                _running.AddLast(next.Place);
            }
            else
            {
                _starts = false;
                _spare.Trim(started);
                _idle.End();
            }

            if (_unstartedBytes <= _node.Options.MaxUnstartedBytes / 2)
            {
                _room.End();
            }
        }

        next?.Held?.Begin();
        return next is not null;
    }

    // Under the lock, so that no cancellation meant for this message hits the next one.
    private void Forget(RunningHandler running)
    {
        _running.Remove(running.Place);
        if (running.ExpectsReply)
        {
            _byNumber.Remove(running.Number);
        }

        if (running.Refusal is null)
        {
            link.Account.Handlers.Leave();
        }

        _memory.Return(running.CountedBytes);
        running.End();
        _spare.Add(running);
    }
}
