namespace Geo.Messaging;

/// <summary>
/// What a lane needs to send and receive large messages: both halves of the protocol, and the bulk lanes beside it. Where it has none, or
/// none can be opened, the pieces go on the lane itself, one between what else it sends.
/// </summary>
internal sealed class PieceChannel
{
    private readonly LinkContext _link;
    private readonly LaneId _id;
    private readonly IPieceSink _sink;
    private volatile bool _goHere;

    public PieceChannel(LinkContext link, LaneId id, OutboundQueue queue, IPieceSink sink)
    {
        (_link, _id, _sink) = (link, id, sink);
        var (node, options) = (link.Node, link.Node.Options);
        Outbox = new LargeOutbox(
            node.Channels.OptionsOf(id.Channel), queue, Math.Min(link.Terms.RemoteGathersBytes, options.MaxGatheredBytes), link.Budget,
            () => node.Metrics.Dropped("given-up", link.Remote, id), link.Account.Replies);
        Inbox = new LargeInbox(options.MaxMessageBytes, options.MaxGatheredBytes, link.Account.Large, sink);
        Lanes = new BulkLanes(link, id, Outbox, Inbox, sink, SendHere);
        Feed = new PieceFeed(Outbox, bulk: null, () => _goHere && Lanes.Count == 0, queue.Nudge, node.Time);
        _goHere = Lanes.Most == 0;
        link.Budget.Add(Outbox);
    }

    public LargeOutbox Outbox { get; }

    public LargeInbox Inbox { get; }

    public BulkLanes Lanes { get; }

    public PieceFeed Feed { get; }

    /// <summary>A frame of the protocol has come on the lane.</summary>
    /// <returns>Null to go on; else why the link ends.</returns>
    public string? OnFrame(FrameHeader header, ReadOnlyMemory<byte> payload)
    {
        switch (header.Kind)
        {
            case FrameKind.Announce:
                return Inbox.Announce(header.Number, payload.Span);
            case FrameKind.Received:
                var bytes = Outbox.NoteReceived(header.Number);
                if (bytes > 0 && _link.Budget.Return(bytes))
                {
                    _sink.Tell(FrameKind.Ping, (ulong)_link.Node.Time.GetTimestamp());
                    Lanes.Open();
                }

                return null;
            case FrameKind.Arrived:
                Outbox.NoteArrived(header.Number);
                return null;
            case FrameKind.OpenLanes when header.Number == 0:
                // The dialler cannot open one.
                SendHere();
                return null;
            case FrameKind.OpenLanes:
                Lanes.Want(header.Number);
                return null;
            default:
                return $"a {header.Kind} frame where none may be";
        }
    }

    public void End()
    {
        _link.Node.Metrics.Dropped("link-down", _link.Remote, _id, Outbox.Close());
        Inbox.Close();
        Lanes.End();
    }

    private void SendHere()
    {
        _goHere = true;
        _sink.WakeWriter();
    }
}
