namespace Geo.Messaging.Overlays;

/// <summary>What happened to messages to single peers.</summary>
internal sealed class DirectMessageCounts
{
    public long Undeliverable { get; set; }

    public long SentAgain { get; set; }

    public long Overtaken { get; set; }

    public long TooEarly { get; set; }
}
