using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;

namespace Geo.Messaging;

/// <summary>
/// Starts a handler for every message that a lane receives, in the order of arrival and without a thread hop, and sends back what it
/// returns. Bounded: what exceeds the handlers allowed to run at once is refused.
/// </summary>
internal sealed class InboundMessages(LaneContext context, PeerIdentity remote, LaneId lane, Func<FrameKind, ulong, ReadOnlySpan<byte>, SendOutcome> reply)
{
    private const int MaxSpare = 256;
    private const int MaxReasonCharacters = 1000;

    private readonly Lock _lock = new();
    private readonly HashSet<RunningHandler> _running = [];
    private readonly Dictionary<ulong, RunningHandler> _byNumber = [];
    private readonly Stack<RunningHandler> _spare = new();

    /// <summary>Starts the handler of a message. For the receive loop alone.</summary>
    /// <param name="header">The frame's header.</param>
    /// <param name="preface">What stands between header and payload: the service's name and the trace context.</param>
    /// <param name="payload">The payload, valid during the call.</param>
    /// <param name="owned">True when the payload stays valid after the call.</param>
    public void Dispatch(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload, bool owned)
    {
        var expectsReply = header.Kind == FrameKind.Request;
        var service = preface[..header.ServiceBytes];
        if (!context.Handlers.TryFind(service, out var handler) || (handler.ClustersOnly && remote.Cluster.IsNone))
        {
            Refuse(header, "no-handler", $"{context.Options.Peer} has no service '{Encoding.UTF8.GetString(service)}' for {remote}");
            return;
        }

        if (Begin() is not { } running)
        {
            Refuse(header, "too-many-handlers", $"{context.Options.Peer} runs {context.Options.MaxRunningHandlers} handlers for {remote} already");
            return;
        }

        var bytes = running.Begin(header.Number, expectsReply, handler.Service, payload, owned);
        running.Span = MessagingTraces.StartHandler(header, preface, handler.Service, context.Options.Peer, remote.Peer, lane);
        ValueTask<ReadOnlyMemory<byte>> task;
        try
        {
            task = handler.Invoke(new PeerMessage(remote.Peer, remote.Cluster, handler.Service, bytes, expectsReply), running.Token);
        }
#pragma warning disable CA1031 // Whatever a handler throws ends its own request and not the lane.
        catch (Exception e)
#pragma warning restore CA1031
        {
            task = ValueTask.FromException<ReadOnlyMemory<byte>>(e);
        }

        if (running.Span is not null)
        {
            // The handler's own context keeps the span; the receive loop goes on to messages of others.
            Activity.Current = null;
        }

        if (task.IsCompleted)
        {
            Finish(running, task.ConfigureAwait(false).GetAwaiter());
            return;
        }

        if (expectsReply)
        {
            lock (_lock)
            {
                _byNumber[header.Number] = running;
            }
        }

        running.Await(task);
    }

    /// <summary>Asks the handler of a request to stop; nothing happens when it has ended. For the receive loop alone.</summary>
    public void Cancel(ulong number)
    {
        RunningHandler? running;
        lock (_lock)
        {
            _byNumber.TryGetValue(number, out running);
        }

        running?.Cancel();
    }

    /// <summary>Asks all handlers to stop, because the lane has ended.</summary>
    public void CancelAll()
    {
        RunningHandler[] left;
        lock (_lock)
        {
            left = [.. _running];
        }

        foreach (var running in left)
        {
            running.Cancel();
        }
    }

    /// <summary>Sends the reply of a handler that has ended.</summary>
    public void Finish(
        RunningHandler running, ConfiguredValueTaskAwaitable<ReadOnlyMemory<byte>>.ConfiguredValueTaskAwaiter awaiter)
    {
        try
        {
            var reply = awaiter.GetResult();
            if (running.ExpectsReply)
            {
                Reply(FrameKind.Reply, running.Number, reply.Span);
            }

            MessagingTraces.EndHandler(running.Span, null);
        }
        catch (OperationCanceledException e) when (running.Token.IsCancellationRequested)
        {
            MessagingTraces.EndHandler(running.Span, e);

            // The requester no longer waits: there is nobody to tell.
        }
#pragma warning disable CA1031 // Whatever a handler throws ends its own request and not the lane.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingTraces.EndHandler(running.Span, e);
            MessagingLog.HandlerFailed(context.Logger, e, running.Service, remote.Peer);
            if (running.ExpectsReply)
            {
                ReplyReason(FrameKind.Failed, running.Number, $"the handler of '{running.Service}' at {context.Options.Peer} failed: {e.Message}");
            }
        }

        lock (_lock)
        {
            _running.Remove(running);
            if (running.ExpectsReply)
            {
                _byNumber.Remove(running.Number);
            }
        }

        running.End();
        lock (_lock)
        {
            if (_spare.Count < MaxSpare)
            {
                _spare.Push(running);
            }
        }
    }

    private RunningHandler? Begin()
    {
        lock (_lock)
        {
            if (_running.Count >= context.Options.MaxRunningHandlers)
            {
                return null;
            }

            var running = _spare.TryPop(out var spare) ? spare : new RunningHandler(this);
            _running.Add(running);
            return running;
        }
    }

    private void Refuse(FrameHeader header, string reason, string message)
    {
        context.Metrics.Dropped(reason, remote.Peer, lane);
        MessagingLog.MessageRefused(context.Logger, message);
        if (header.Kind == FrameKind.Request)
        {
            ReplyReason(FrameKind.Refused, header.Number, message);
        }
    }

    private void ReplyReason(FrameKind kind, ulong number, string reason) =>
        Reply(kind, number, Encoding.UTF8.GetBytes(reason.Length <= MaxReasonCharacters ? reason : reason[..MaxReasonCharacters]));

    private void Reply(FrameKind kind, ulong number, ReadOnlySpan<byte> payload)
    {
        if (payload.Length > context.Options.MaxMessageBytes)
        {
            ReplyReason(FrameKind.Failed, number, $"the reply of {context.Options.Peer} has {payload.Length} bytes, more than MaxMessageBytes allows");
            return;
        }

        // A reply that finds no room is lost: its requester's time-out turns the request unknown.
        if (reply(kind, number, payload) == SendOutcome.Full)
        {
            context.Metrics.Dropped("reply-full", remote.Peer, lane);
        }
    }
}
