using System.Buffers.Binary;

namespace Geo.Messaging;

/// <summary>
/// How the handshake is written: the four bytes <c>GEO\n</c>, the length of the body (4 bytes, little-endian), the body. A reader passes
/// over what a newer version adds to a body's end.
/// </summary>
internal static class Handshake
{
    public const int PreambleBytes = 8;

    public const int MaxBodyBytes = 16 * 1024;

    private const uint Magic = 0x0a4f4547;
    private const byte WelcomeTag = 1;
    private const byte RefusalTag = 2;
    private const int MaxReasonCharacters = 1000;

    /// <returns>The length of the body that follows.</returns>
    /// <exception cref="GeoSerializationException">It is not a Geo handshake.</exception>
    public static int ReadPreamble(ReadOnlySpan<byte> preamble)
    {
        var length = BinaryPrimitives.ReadUInt32LittleEndian(preamble[4..]);
        return BinaryPrimitives.ReadUInt32LittleEndian(preamble) != Magic ? throw new GeoSerializationException(
                "What arrived is not a Geo handshake: something else speaks on this connection, or TLS is on at one side only.")
            : length > MaxBodyBytes ? throw new GeoSerializationException(
                $"A Geo handshake announces {length} bytes; at most {MaxBodyBytes} are allowed.")
            : (int)length;
    }

    public static byte[] Write(Hello hello)
    {
        var writer = new PayloadWriter();
        writer.WriteUnsigned((ulong)hello.Versions.Oldest);
        writer.WriteUnsigned((ulong)hello.Versions.Newest);
        writer.WriteIdentity(hello.From);
        writer.WriteText(hello.ExpectedCluster.Name);
        writer.WriteUnsigned(hello.Link);
        hello.Plan.Write(writer);
        writer.WriteText(hello.Lane.Channel);
        writer.WriteUnsigned((ulong)hello.Lane.Number);
        writer.WriteUnsigned((ulong)hello.MaxMessageBytes);
        writer.WriteUnsigned((ulong)hello.MaxGatheredBytes);
        writer.WriteBytes(hello.Facts.Span);
        return Seal(writer);
    }

    public static byte[] Write(HandshakeAnswer answer)
    {
        var writer = new PayloadWriter();
        switch (answer)
        {
            case Welcome welcome:
                writer.WriteByte(WelcomeTag);
                writer.WriteUnsigned((ulong)welcome.Version);
                writer.WriteIdentity(welcome.From);
                writer.WriteUnsigned((ulong)welcome.MaxMessageBytes);
                writer.WriteUnsigned((ulong)welcome.MaxGatheredBytes);
                writer.WriteBytes(welcome.Facts.Span);
                break;
            case Refusal refusal:
                writer.WriteByte(RefusalTag);
                writer.WriteUnsigned((ulong)refusal.Reason);
                writer.WriteText(refusal.Message.Length <= MaxReasonCharacters ? refusal.Message : refusal.Message[..MaxReasonCharacters]);
                writer.WriteText(refusal.By.Name);
                break;
            default:
                throw new InvalidOperationException($"{answer} has no wire form.");
        }

        return Seal(writer);
    }

    public static Hello ReadHello(ReadOnlySpan<byte> body)
    {
        var reader = new PayloadReader(body);
        var versions = new WireVersions(reader.ReadSmall(), reader.ReadSmall());
        var hello = new Hello(
            versions, reader.ReadIdentity(), reader.ReadCluster(), reader.ReadUnsigned(), LanePlan.Read(ref reader),
            reader.ReadLane(), reader.ReadSmall(), reader.ReadSmall(), reader.ReadFacts());
        return hello.Plan.Lanes.Contains(hello.Lane)
            ? hello
            : throw new GeoSerializationException($"A Geo handshake is for the connection {hello.Lane}, which its link does not have.");
    }

    public static HandshakeAnswer ReadAnswer(ReadOnlySpan<byte> body)
    {
        var reader = new PayloadReader(body);
        return reader.ReadByte() switch
        {
            WelcomeTag => new Welcome(
                reader.ReadSmall(), reader.ReadIdentity(), reader.ReadSmall(), reader.ReadSmall(), reader.ReadFacts()),
            RefusalTag => new Refusal(reader.ReadReason(), reader.ReadRequiredText(), reader.ReadPeerOrNone()),
            var tag => throw new GeoSerializationException($"A Geo handshake is answered by the unknown tag {tag}."),
        };
    }

    private static byte[] Seal(PayloadWriter body)
    {
        var sealedBody = new byte[PreambleBytes + body.Written.Length];
        BinaryPrimitives.WriteUInt32LittleEndian(sealedBody, Magic);
        BinaryPrimitives.WriteUInt32LittleEndian(sealedBody.AsSpan(4), (uint)body.Written.Length);
        body.Written.Span.CopyTo(sealedBody.AsSpan(PreambleBytes));
        return sealedBody;
    }
}
