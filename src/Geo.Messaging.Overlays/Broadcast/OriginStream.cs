namespace Geo.Messaging.Overlays;

/// <summary>The broadcasts of one incarnation of an origin, as far as they have come.</summary>
internal sealed class OriginStream(long incarnation, ulong last)
{
    public long Incarnation { get; } = incarnation;

    /// <summary>The latest message delivered, with all before it.</summary>
    public ulong Last { get; set; } = last;

    /// <summary>Messages that came before an earlier one did.</summary>
    public SortedDictionary<ulong, (ReadOnlyMemory<byte> Payload, int Hops)> Waiting { get; } = [];

    /// <summary>The bytes of those messages.</summary>
    public long WaitingBytes { get; set; }

    /// <summary>When the oldest gap opened.</summary>
    public TimeSpan GapSince { get; set; }

    /// <summary>When something of the origin last came.</summary>
    public TimeSpan Heard { get; set; }

    public bool Has(ulong sequence) => sequence <= Last || Waiting.ContainsKey(sequence);
}
