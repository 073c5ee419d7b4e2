namespace Geo.Consistency;

/// <summary>How the exchange of another cluster answered a request.</summary>
internal enum ExchangeReply : byte
{
    NotActive,
    Busy,
    Answered,
}

/// <summary>A message between exchanges: the grain it is for, and what its view is to read.</summary>
internal readonly record struct ReplicaEnvelope(GrainKey Grain, bool Activate, ReadOnlyMemory<byte> Payload)
{
    internal static byte[] Write(GrainKey grain, bool activate, ReadOnlySpan<byte> payload)
    {
        var writer = new PayloadWriter();
        writer.WriteText(grain.Type);
        writer.WriteText(grain.Key);
        writer.WriteByte(activate ? (byte)1 : (byte)0);
        payload.CopyTo(writer.GetSpan(payload.Length));
        writer.Advance(payload.Length);
        return writer.ToArray();
    }

    internal static ReplicaEnvelope Read(ReadOnlyMemory<byte> message)
    {
        var reader = new PayloadReader(message.Span);
        var grain = new GrainKey(reader.ReadRequiredText(), reader.ReadRequiredText());
        var activate = reader.ReadByte() != 0;
        return new ReplicaEnvelope(grain, activate, message[^reader.Rest.Length..]);
    }

    internal static byte[] WriteReply(ReadOnlyMemory<byte> reply)
    {
        var bytes = new byte[reply.Length + 1];
        bytes[0] = (byte)ExchangeReply.Answered;
        reply.CopyTo(bytes.AsMemory(1));
        return bytes;
    }
}
