namespace Geo.Directory;

/// <summary>A message to another cluster that a silo without a link to it has a sibling send.</summary>
internal readonly record struct RelayedMessage(
    ClusterId To, string Service, MessageOptions Options, bool ExpectsReply, ReadOnlyMemory<byte> Payload)
{
    // In the place of a reply that a refused message does not have.
    private static ReadOnlySpan<byte> Busy => [1];

    private static ReadOnlySpan<byte> NotServed => [2];

    public byte[] Encode()
    {
        var writer = new PayloadWriter();
        writer.WriteText(To.Name);
        writer.WriteText(Service);
        writer.WriteByte(ExpectsReply ? (byte)1 : (byte)0);
        writer.WriteText(Options.Channel);
        WriteKey(writer, Options.PartitionKey);
        WriteKey(writer, Options.Recipient);
        writer.WriteSigned(Options.Timeout?.Ticks ?? -1);
        writer.WriteUnsigned((ulong)Options.Attempt);
        writer.WriteBytes(Payload.Span);
        return writer.ToArray();
    }

    public static RelayedMessage Decode(ReadOnlyMemory<byte> bytes)
    {
        var reader = new PayloadReader(bytes.Span);
        var to = new ClusterId(reader.ReadRequiredText());
        var service = reader.ReadRequiredText();
        var expectsReply = reader.ReadByte() != 0;
        var channel = reader.ReadText();
        var (key, recipient) = (ReadKey(ref reader), ReadKey(ref reader));
        var ticks = reader.ReadSigned();
        var attempt = (int)Math.Min(reader.ReadUnsigned(), int.MaxValue);
        var options = new MessageOptions(channel, key, ticks < 0 ? null : new TimeSpan(ticks), attempt, Recipient: recipient);
        return new(to, service, options, expectsReply, reader.ReadBytes().ToArray());
    }

    /// <summary>What the sibling answers.</summary>
    /// <param name="reply">The end of the message.</param>
    /// <param name="isBusy">Whether it was refused only because the sibling sends too much for others: it does reach the cluster.</param>
    public static byte[] EncodeReply(ClusterReply reply, bool isBusy = false)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)reply.Outcome);
        writer.WriteText(reply.Reason);
        writer.WriteBytes(isBusy ? Busy : reply.IsNotServed ? NotServed : reply.Payload.Span);
        return writer.ToArray();
    }

    public static (ClusterReply Reply, bool IsBusy) DecodeReply(ReadOnlyMemory<byte> bytes)
    {
        var reader = new PayloadReader(bytes.Span);
        var outcome = (ReplyOutcome)reader.ReadByte();
        var reason = reader.ReadText() ?? "a sibling gave no reason";
        var rest = reader.ReadBytes();
        return outcome switch
        {
            ReplyOutcome.Replied => (ClusterReply.Replied(rest.ToArray()), false),
            ReplyOutcome.Refused when rest.SequenceEqual(NotServed) => (ClusterReply.NotServed(reason), false),
            ReplyOutcome.Refused => (ClusterReply.Refused(reason), rest.SequenceEqual(Busy)),
            _ => (ClusterReply.Unknown(reason), false),
        };
    }

    private static void WriteKey(PayloadWriter writer, PartitionKey? key)
    {
        writer.WriteByte(key is null ? (byte)0 : (byte)1);
        if (key is { } value)
        {
            writer.WriteUnsigned(value.High);
            writer.WriteUnsigned(value.Low);
        }
    }

    private static PartitionKey? ReadKey(ref PayloadReader reader) =>
        reader.ReadByte() == 0 ? null : new PartitionKey(reader.ReadUnsigned(), reader.ReadUnsigned());
}
