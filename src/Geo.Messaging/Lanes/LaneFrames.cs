using System.Text;

namespace Geo.Messaging;

/// <summary>Takes what a lane receives where it belongs.</summary>
internal sealed class LaneFrames : ILaneSink
{
    private readonly LinkContext _link;
    private readonly NodeContext _node;
    private readonly LaneId _id;
    private readonly LaneReader _reader;
    private readonly LaneWriter _writer;
    private readonly LaneRequests _requests;
    private readonly PieceChannel _pieces;
    private readonly LaneDispatch _dispatch;
    private volatile bool _heardGoodbye;
    private int _count;

    public LaneFrames(
        LinkContext link, LaneId id, LaneReader reader, LaneWriter writer, LaneRequests requests, PieceChannel pieces,
        LaneDispatch dispatch)
    {
        (_link, _node, _id, _reader, _writer, _requests, _pieces) = (link, link.Node, id, reader, writer, requests, pieces);
        _dispatch = dispatch;
    }

    public bool HasHeardGoodbye => _heardGoodbye;

    string? ILaneSink.OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
    {
        _count++;
        switch (header.Kind)
        {
            case FrameKind.OneWay or FrameKind.Request:
                _link.Budget.NoteSmall();
                _dispatch.Inbound.Add(header, preface, payload);
                return null;
            case FrameKind.Reply:
                _link.Budget.NoteSmall();
                if (_requests.Take(header.Number) is { } replied)
                {
                    _dispatch.Replied.Add(replied, ClusterReply.Replied(payload.ToArray()));
                }

                return null;
            case FrameKind.Refused:
                _dispatch.Replied.Add(_requests.Take(header.Number), ClusterReply.Refused(Text(payload)));
                return null;
            case FrameKind.NotServed:
                _dispatch.Replied.Add(_requests.Take(header.Number), ClusterReply.NotServed(Text(payload)));
                return null;
            case FrameKind.Failed:
                _dispatch.Replied.Add(_requests.Take(header.Number), ClusterReply.Unknown(Text(payload)));
                return null;
            case FrameKind.Cancel:
                // The request may have come in the same buffer.
                _dispatch.RunInPool();
                _dispatch.Inbound.Cancel(header.Number);
                return null;
            case FrameKind.Ping:
                _writer.Tell(FrameKind.Pong, header.Number);
                return null;
            case FrameKind.Pong:
                var roundTrip = _node.Time.GetElapsedTime(unchecked((long)header.Number));
                _node.Metrics.RoundTrip(roundTrip, _link.Remote, _id);
                _link.Budget.NoteProbe(roundTrip);
                _link.RoundTrip = roundTrip;
                return null;
            case FrameKind.Goodbye:
                _heardGoodbye = true;
                return $"{_link.Remote.Peer} closed it: {Text(payload)}";
            case FrameKind.Announce:
                // What came before it must be started before it.
                _dispatch.RunInPool();
                return _pieces.OnFrame(header, payload);
            case FrameKind.Follows:
                return Follow(header.Number, payload);
            case FrameKind.Received or FrameKind.Arrived or FrameKind.OpenLanes:
                return _pieces.OnFrame(header, payload);
            default:
                return $"{_link.Remote.Peer} sent a {header.Kind} frame where none may be";
        }
    }

    string? ILaneSink.BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into) => _pieces.Inbox.Begin(number, piece, out into);

    void ILaneSink.EndPiece(ulong number, PieceHeader piece) => _pieces.Inbox.End(number, piece);

    ValueTask ILaneSink.OnReceivedAsync()
    {
        _node.Metrics.Received(_count, _reader.TakeBytes(), _link.Remote, _id);
        _count = 0;
        return _dispatch.RunAsync();
    }

    private string? Follow(ulong number, ReadOnlyMemory<byte> frame)
    {
        if (_pieces.Inbox.Follow(number, frame, out var header, out var isNext) is { } fault)
        {
            return $"{_link.Remote.Peer} sent {fault}";
        }

        if (isNext)
        {
            _dispatch.Inbound.Add(header, frame.Span[FrameHeader.Size..header.PayloadOffset], frame[header.PayloadOffset..]);
        }

        return null;
    }

    private static string Text(ReadOnlyMemory<byte> payload) => Encoding.UTF8.GetString(payload.Span);
}
