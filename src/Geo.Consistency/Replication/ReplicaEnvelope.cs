namespace Geo.Consistency;

/// <summary>How the exchange of another cluster answered a request.</summary>
internal enum ExchangeReply : byte
{
    NotActive,
    Busy,
    Answered,
}

/// <summary>A message between exchanges: the grain it is for, and what its view or its memory is to read.</summary>
internal readonly record struct ReplicaEnvelope(GrainKey Grain, EnvelopeKind Kind, ReadOnlyMemory<byte> Payload)
{
    internal static byte[] Write(GrainKey grain, EnvelopeKind kind, ReadOnlySpan<byte> payload)
    {
        var writer = new PayloadWriter();
        writer.WriteText(grain.Type);
        writer.WriteText(grain.Key);
        writer.WriteByte((byte)kind);
        payload.CopyTo(writer.GetSpan(payload.Length));
        writer.Advance(payload.Length);
        return writer.ToArray();
    }

    internal static ReplicaEnvelope Read(ReadOnlyMemory<byte> message)
    {
        var reader = new PayloadReader(message.Span);
        var grain = new GrainKey(reader.ReadRequiredText(), reader.ReadRequiredText());
        var kind = (EnvelopeKind)reader.ReadByte();
        return kind <= EnvelopeKind.Digest
            ? new ReplicaEnvelope(grain, kind, message[^reader.Rest.Length..])
            : throw new GeoSerializationException(
                $"A message for {grain} is of kind {(byte)kind}, which this version of Geo does not know.");
    }

    internal static byte[] WriteReply(ReadOnlyMemory<byte> reply)
    {
        var bytes = new byte[reply.Length + 1];
        bytes[0] = (byte)ExchangeReply.Answered;
        reply.CopyTo(bytes.AsMemory(1));
        return bytes;
    }
}
