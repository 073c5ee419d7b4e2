namespace Geo.Messaging;

/// <summary>The connections that make up a link, as its dialler opens them. The first carries the link's own handshake.</summary>
internal sealed class LanePlan : IEquatable<LanePlan>
{
    /// <summary>The most connections of one link.</summary>
    public const int MaxLanes = 256;

    public LanePlan(IEnumerable<PlannedChannel> channels)
    {
        Channels = [.. channels];
        Lanes =
            [.. Channels.SelectMany(channel => Enumerable.Range(0, channel.Parallelism).Select(lane => new LaneId(channel.Name, lane)))];
    }

    public PlannedChannel[] Channels { get; }

    /// <summary>All connections that there may be, in the order of their opening.</summary>
    public LaneId[] Lanes { get; }

    public static LanePlan Of(MessagingOptions options) =>
        new(options.Channels.Prepend(options.DefaultChannel).Select(
            channel => new PlannedChannel(channel.Name, channel.Parallelism, channel.Lanes == LaneUse.ByKey || channel.Monotonic)));

    /// <summary>
    /// The connections that are opened with the link: all but the bulk lanes of adaptive channels, which come when they are needed.
    /// </summary>
    public LaneId[] FirstLanes =>
        [.. Channels.SelectMany(channel => Lanes.Where(lane => lane.Channel == channel.Name && (channel.ByKey || lane.Number == 0)))];

    public int BulkLanesOf(LaneId lane) =>
        lane.Number == 0 && Channels.First(channel => channel.Name == lane.Channel) is { ByKey: false } shared ? shared.Parallelism - 1 : 0;

    public void Write(PayloadWriter writer)
    {
        writer.WriteUnsigned((ulong)Channels.Length);
        foreach (var channel in Channels)
        {
            writer.WriteText(channel.Name);
            writer.WriteUnsigned((ulong)channel.Parallelism);
            writer.WriteByte(channel.ByKey ? (byte)1 : (byte)0);
        }
    }

    /// <exception cref="GeoSerializationException">It is damaged, or asks for more than may be.</exception>
    public static LanePlan Read(ref PayloadReader reader)
    {
        var channels = new PlannedChannel[reader.ReadCount()];
        var lanes = 0UL;
        for (var i = 0; i < channels.Length; i++)
        {
            var name = reader.ReadRequiredText();
            var parallelism = reader.ReadUnsigned();
            if (parallelism is 0 or > MaxLanes || (lanes += parallelism) > MaxLanes)
            {
                throw new GeoSerializationException($"A Geo handshake asks for a link of no or more than {MaxLanes} connections.");
            }

            channels[i] = new PlannedChannel(name, (int)parallelism, ByKey: reader.ReadByte() != 0);
        }

        return channels.Length > 0 && channels.DistinctBy(channel => channel.Name).Count() == channels.Length
            ? new LanePlan(channels)
            : throw new GeoSerializationException("A Geo handshake names no channel, or one twice.");
    }

    public bool Equals(LanePlan? other) => other is not null && Channels.SequenceEqual(other.Channels);

    public override bool Equals(object? obj) => Equals(obj as LanePlan);

    public override int GetHashCode() => Channels.Length;
}
