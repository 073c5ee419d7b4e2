namespace Geo.Messaging;

/// <summary>What waits in a lane or is being sent, and how much of it there may be. To be used under its owner's lock.</summary>
internal sealed class QueueRoom(ChannelOptions bounds, int maxAnswerBytes, NodeBudget.Share? replies = null)
{
    private readonly LaneShare? _replies = replies is null ? null : new(replies);
    private int _messages;
    private int _answerBytes;
    private long _bytes;

    /// <summary>The bytes of it. From any thread.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>The messages of it. From any thread.</summary>
    public int Messages => Volatile.Read(ref _messages);

    public bool IsHalfFree => _messages <= bounds.QueueMessages / 2 && _bytes <= bounds.QueueBytes / 2;

    /// <summary>True when the lane takes no further reply. From any thread.</summary>
    public bool IsFullOfReplies => Messages / 2 >= bounds.QueueMessages || Bytes / 2 >= bounds.QueueBytes;

    /// <summary>True for what ends a request of the remote's.</summary>
    public static bool IsReply(FrameKind kind) =>
        kind is FrameKind.Reply or FrameKind.Refused or FrameKind.NotServed or FrameKind.Failed;

    /// <summary>True for what the link itself says: its remote may make it say as much as it likes and not read it.</summary>
    public static bool IsAnswer(FrameKind kind) =>
        kind is FrameKind.Pong or FrameKind.Cancel or FrameKind.Received or FrameKind.Arrived or FrameKind.OpenLanes or FrameKind.Ping;

    /// <summary>Takes room for a frame, if there is some for its kind, here and in what else must have it.</summary>
    public bool TryTake(FrameKind kind, int frameBytes, QueueRoom? beside = null)
    {
        var hasRoom = kind switch
        {
            FrameKind.OneWay or FrameKind.Request => HasRoom(frameBytes, 1, beside),
            _ when IsReply(kind) => HasRoom(frameBytes, 2, beside) && _replies?.TryTake(frameBytes) is not false,
            _ => !IsAnswer(kind) || _answerBytes + frameBytes <= maxAnswerBytes,
        };
        if (hasRoom)
        {
            Give(-1, -frameBytes, IsAnswer(kind) ? -frameBytes : 0);
        }

        return hasRoom;
    }

    /// <summary>True when there is room for so much more of users' messages; one alone always has it.</summary>
    public bool Fits(int messages, int bytes) =>
        _messages + messages <= 1 || (_messages + messages <= bounds.QueueMessages && _bytes + bytes <= bounds.QueueBytes);

    public void Give(int messages, long bytes, int answerBytes = 0, int replyBytes = 0)
    {
        (_messages, _bytes, _answerBytes) = (_messages - messages, _bytes - bytes, _answerBytes - answerBytes);
        if (replyBytes > 0)
        {
            _replies?.Return(replyBytes);
        }
    }

    /// <summary>Nothing waits any more, nor ever will.</summary>
    public void Clear()
    {
        (_messages, _bytes, _answerBytes) = (0, 0, 0);
        _replies?.Clear();
    }

    private bool HasRoom(int frameBytes, int share, QueueRoom? beside)
    {
        var (messages, bytes) = (_messages + (beside?.Messages ?? 0), _bytes + (beside?.Bytes ?? 0));
        return messages == 0
            || (messages < (long)share * bounds.QueueMessages && bytes + frameBytes < share * ((long)bounds.QueueBytes + 1));
    }
}
