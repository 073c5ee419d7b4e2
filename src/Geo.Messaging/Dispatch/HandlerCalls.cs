using System.Diagnostics;
using System.Text;
using Awaiter = System.Runtime.CompilerServices.ConfiguredValueTaskAwaitable<System.ReadOnlyMemory<byte>>.ConfiguredValueTaskAwaiter;

namespace Geo.Messaging;

/// <summary>Calls the handlers of a lane's messages, sends back what they return, and measures and traces both.</summary>
internal sealed class HandlerCalls(LinkContext link, LaneId lane, Replies replies)
{
    /// <summary>Why a message is refused for which no further handler may run.</summary>
    public const string TooManyHandlers = "too-many-handlers";

    private const string NoMemory = "no-memory";
    private const string RepliesFull = "reply-full";

    private readonly NodeContext _node = link.Node;
    private readonly PeerIdentity _remote = link.Remote;

    /// <summary>The handler of a message; null when there is none, of which its sender is told.</summary>
    public ServiceHandler? Find(FrameHeader header, ReadOnlySpan<byte> preface)
    {
        var service = preface[..header.ServiceBytes];
        if (_node.Handlers.TryFind(service, out var handler) && (!handler.ClustersOnly || !_remote.Cluster.IsNone))
        {
            return handler;
        }

        replies.Refuse(
            header.Kind == FrameKind.Request, header.Number, "no-handler",
            $"{_node.Options.Peer} has no service '{Encoding.UTF8.GetString(service)}' for {_remote}", FrameKind.NotServed);
        return null;
    }

    /// <summary>Why a message gets no handler although one more may run; null when nothing is against it.</summary>
    public string? RefusalOf(RunningHandler running) =>
        !running.HasRoom ? NoMemory
        : running.ExpectsReply && replies.AreFull ? RepliesFull
        : null;

    /// <summary>Refuses a message; its requester is told where that little finds room.</summary>
    public void Refuse(RunningHandler running) => replies.Refuse(
        running.ExpectsReply, running.Number, running.Refusal!,
        running.Refusal switch
        {
            NoMemory => $"{_node.Options.Peer}: the messages of {_remote}, or of all peers, take as much memory as MaxSmallBytes allows",
            RepliesFull =>
                $"{_remote} does not read its replies: as many wait at {_node.Options.Peer} as MaxReplyBytes, or the channel, allow",
            _ => $"{_node.Options.Peer} runs {_node.Options.MaxRunningHandlers} handlers for {_remote} already",
        });

    /// <summary>The lane has ended before handlers of so many messages were started.</summary>
    public void Lose(int messages) => _node.Metrics.Dropped("link-down", _remote, lane, messages);

    /// <returns>True when it has ended already and its reply is on its way.</returns>
    public bool Start(RunningHandler running)
    {
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

    public void Answer(RunningHandler running, Awaiter awaiter)
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
        running.Handler.Service, outcome, running.Began is { } began ? _node.Time.GetElapsedTime(began) : null, _remote, lane);
}
