namespace Geo.Messaging;

/// <summary>The connections that make up a link, as its dialler opens them. The first carries the link's own handshake.</summary>
internal sealed class LanePlan : IEquatable<LanePlan>
{
    /// <summary>The most connections of one link.</summary>
    public const int MaxLanes = 256;

    public LanePlan(IEnumerable<(string Channel, int Parallelism)> channels)
    {
        Channels = [.. channels];
        Lanes = [.. Channels.SelectMany(channel => Enumerable.Range(0, channel.Parallelism).Select(lane => new LaneId(channel.Channel, lane)))];
    }

    /// <summary>The channels, each with the number of its connections.</summary>
    public (string Channel, int Parallelism)[] Channels { get; }

    /// <summary>All connections, in the order of their opening.</summary>
    public LaneId[] Lanes { get; }

    public static LanePlan Of(MessagingOptions options) =>
        new(options.Channels.Prepend(options.DefaultChannel).Select(channel => (channel.Name, channel.Parallelism)));

    public void Write(PayloadWriter writer)
    {
        writer.WriteUnsigned((ulong)Channels.Length);
        foreach (var (channel, parallelism) in Channels)
        {
            writer.WriteText(channel);
            writer.WriteUnsigned((ulong)parallelism);
        }
    }

    /// <exception cref="GeoSerializationException">It is damaged, or asks for more than may be.</exception>
    public static LanePlan Read(ref PayloadReader reader)
    {
        var channels = new (string Channel, int Parallelism)[reader.ReadCount()];
        var lanes = 0UL;
        for (var i = 0; i < channels.Length; i++)
        {
            var name = reader.ReadRequiredText();
            var parallelism = reader.ReadUnsigned();
            if (parallelism is 0 or > MaxLanes || (lanes += parallelism) > MaxLanes)
            {
                throw new GeoSerializationException($"A Geo handshake asks for a link of no or more than {MaxLanes} connections.");
            }

            channels[i] = (name, (int)parallelism);
        }

        return channels.Length > 0 && channels.DistinctBy(channel => channel.Channel).Count() == channels.Length
            ? new LanePlan(channels)
            : throw new GeoSerializationException("A Geo handshake names no channel, or one twice.");
    }

    public bool Equals(LanePlan? other) => other is not null && Channels.SequenceEqual(other.Channels);

    public override bool Equals(object? obj) => Equals(obj as LanePlan);

    public override int GetHashCode() => Channels.Length;
}
