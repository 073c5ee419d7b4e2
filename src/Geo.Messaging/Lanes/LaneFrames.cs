using System.Text;

namespace Geo.Messaging;

/// <summary>Takes what a lane receives where it belongs.</summary>
internal sealed class LaneFrames(
    LinkContext link, LaneId id, LaneReader reader, LaneWriter writer, LaneRequests requests, PieceChannel pieces, LaneDispatch dispatch)
    : ILaneSink
{
    private readonly NodeContext _node = link.Node;
    private volatile bool _heardGoodbye;
    private int _count;

    public bool HasHeardGoodbye => _heardGoodbye;

    string? ILaneSink.OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
    {
        _count++;
        switch (header.Kind)
        {
            case FrameKind.OneWay or FrameKind.Request:
                link.Budget.NoteSmall();
                dispatch.Inbound.Add(header, preface, payload);
                return null;
            case FrameKind.Reply:
                link.Budget.NoteSmall();
                if (requests.Take(header.Number) is { } replied)
                {
                    dispatch.Replied.Add(replied, ClusterReply.Replied(payload.ToArray()));
                }

                return null;
            case FrameKind.Refused:
                dispatch.Replied.Add(requests.Take(header.Number), ClusterReply.Refused(Text(payload)));
                return null;
            case FrameKind.NotServed:
                dispatch.Replied.Add(requests.Take(header.Number), ClusterReply.NotServed(Text(payload)));
                return null;
            case FrameKind.Failed:
                dispatch.Replied.Add(requests.Take(header.Number), ClusterReply.Unknown(Text(payload)));
                return null;
            case FrameKind.Cancel:
                // The request may have come in the same buffer.
                dispatch.RunInPool();
                dispatch.Inbound.Cancel(header.Number);
                return null;
            case FrameKind.Ping:
                writer.Tell(FrameKind.Pong, header.Number);
                return null;
            case FrameKind.Pong:
                var roundTrip = _node.Time.GetElapsedTime(unchecked((long)header.Number));
                _node.Metrics.RoundTrip(roundTrip, link.Remote, id);
                link.Budget.NoteProbe(roundTrip);
                link.RoundTrip = roundTrip;
                return null;
            case FrameKind.Goodbye:
                _heardGoodbye = true;
                return $"{link.Remote.Peer} closed it: {Text(payload)}";
            case FrameKind.Announce:
                // What came before it must be started before it.
                dispatch.RunInPool();
                return pieces.OnFrame(header, payload);
            case FrameKind.Follows:
                return Follow(header.Number, payload);
            case FrameKind.Received or FrameKind.Arrived or FrameKind.OpenLanes:
                return pieces.OnFrame(header, payload);
            default:
                return $"{link.Remote.Peer} sent a {header.Kind} frame where none may be";
        }
    }

    string? ILaneSink.BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into) => pieces.Inbox.Begin(number, piece, out into);

    void ILaneSink.EndPiece(ulong number, PieceHeader piece) => pieces.Inbox.End(number, piece);

    ValueTask ILaneSink.OnReceivedAsync()
    {
        _node.Metrics.Received(_count, reader.TakeBytes(), link.Remote, id);
        _count = 0;
        return dispatch.RunAsync();
    }

    private string? Follow(ulong number, ReadOnlyMemory<byte> frame)
    {
        if (pieces.Inbox.Follow(number, frame, out var header, out var isNext) is { } fault)
        {
            return $"{link.Remote.Peer} sent {fault}";
        }

        if (isNext)
        {
            dispatch.Inbound.Add(header, frame.Span[FrameHeader.Size..header.PayloadOffset], frame[header.PayloadOffset..]);
        }

        return null;
    }

    private static string Text(ReadOnlyMemory<byte> payload) => Encoding.UTF8.GetString(payload.Span);
}
