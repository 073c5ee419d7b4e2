namespace Geo.Messaging;

/// <summary>Tells requesters how their requests ended, and counts what is refused or finds no room.</summary>
internal sealed class Replies(LinkContext link, LaneId lane, LaneSender sender)
{
    private readonly NodeContext _node = link.Node;

    /// <summary>True while what a handler replies may find no room.</summary>
    public bool AreFull => sender.IsFullOfReplies;

    /// <summary>Refuses a message, counts it and tells its requester, if it has one.</summary>
    public void Refuse(bool expectsReply, ulong number, string reason, string message, FrameKind kind = FrameKind.Refused)
    {
        _node.Metrics.Dropped(reason, link.Remote, lane);
        MessagingLog.MessageRefused(_node.Logger, message);
        if (expectsReply)
        {
            SendReason(kind, number, message);
        }
    }

    public void Fail(RunningHandler running, Exception error)
    {
        MessagingLog.HandlerFailed(_node.Logger, error, running.Handler.Service, link.Remote.Peer);
        if (running.ExpectsReply)
        {
            SendReason(
                FrameKind.Failed, running.Number,
                $"the handler of '{running.Handler.Service}' at {_node.Options.Peer} failed: {error.Message}");
        }
    }

    public void Send(RunningHandler running, ReadOnlyMemory<byte> reply)
    {
        if (reply.Length > sender.MaxBytes)
        {
            SendReason(
                FrameKind.Failed, running.Number,
                $"the reply of {_node.Options.Peer} has {reply.Length} bytes, more than the MaxMessageBytes of one side"
                + $" ({sender.MaxBytes}) allows");
        }

        // A large request that goes back, or a part of it, need not be copied: its buffer is the lane's and goes with the reply.
        else if (new FrameHeader(FrameKind.Reply, running.Number, 0, reply.Length).IsLarge && running.TryDetach(reply, out var rented))
        {
            Count(sender.ReplyInPlace(running.Number, rented));
        }
        else
        {
            Count(sender.Reply(FrameKind.Reply, running.Number, reply.Span));
        }
    }

    private void SendReason(FrameKind kind, ulong number, string reason) =>
        Count(sender.Reply(kind, number, ReasonText.Write(reason, sender.MaxBytes)));

    // A reply that finds no room is lost: its requester's time-out turns the request unknown.
    private void Count(SendOutcome outcome)
    {
        if (outcome == SendOutcome.Full)
        {
            _node.Metrics.Dropped("reply-full", link.Remote, lane);
        }
    }
}
