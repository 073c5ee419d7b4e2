using System.Buffers;

namespace Geo.Messaging.Amqp;

/// <summary>What stands before every message that peers send each other over the broker.</summary>
/// <param name="Kind">What the message is.</param>
/// <param name="From">Who sent it.</param>
/// <param name="Epoch">Which of the sender's queues is its present one: a later one has a higher number.</param>
internal readonly record struct Envelope(EnvelopeKind Kind, PeerId From, long Epoch)
{
    public byte[] Around(ReadOnlySpan<byte> frame)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)Kind);
        writer.WriteText(From.Name);
        writer.WriteSigned(Epoch);
        writer.Write(frame);
        return writer.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are no message of a peer.</exception>
    public static Envelope Open(ReadOnlySpan<byte> message, out ReadOnlySpan<byte> frame)
    {
        var reader = new PayloadReader(message);
        var kind = (EnvelopeKind)reader.ReadByte();
        if (!Enum.IsDefined(kind))
        {
            throw new GeoSerializationException($"A message is of the unknown kind {(byte)kind}.");
        }

        var envelope = new Envelope(kind, ReadPeer(ref reader), reader.ReadSigned());
        frame = reader.Rest;
        return envelope;
    }

    private static PeerId ReadPeer(ref PayloadReader reader)
    {
        try
        {
            return new PeerId(reader.ReadRequiredText());
        }
        catch (ArgumentException e)
        {
            throw new GeoSerializationException($"A message names no peer: {e.Message}", e);
        }
    }
}
