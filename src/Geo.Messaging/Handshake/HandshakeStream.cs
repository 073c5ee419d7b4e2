namespace Geo.Messaging;

/// <summary>Reads and writes the handshake on a connection, to the byte: what follows belongs to the lane.</summary>
internal static class HandshakeStream
{
    public static ValueTask WriteAsync(IWireConnection wire, byte[] bytes) => wire.SendAsync([new ArraySegment<byte>(bytes)]);

    /// <remarks>Closing it with unread bytes would reset it and could take the refusal with it.</remarks>
    public static async Task WriteLastAsync(IWireConnection wire, Refusal refusal)
    {
        await WriteAsync(wire, Handshake.Write(refusal));
        wire.FinishSending();
        await HungUpAsync(wire);
    }

    /// <summary>Ends when the remote has closed the connection, whatever it sends before.</summary>
    /// <exception cref="IOException">The connection broke.</exception>
    public static async Task HungUpAsync(IWireConnection wire)
    {
        var rest = new byte[256];
        while (await wire.ReceiveAsync(rest) > 0)
        {
        }
    }

    public static ValueTask WriteReadyAsync(IWireConnection wire)
    {
        var frame = new byte[FrameHeader.Size];
        new FrameHeader(FrameKind.Ready, 0, 0, 0).Write(frame);
        return WriteAsync(wire, frame);
    }

    public static async ValueTask<Hello> ReadHelloAsync(IWireConnection wire) => Handshake.ReadHello(await ReadBodyAsync(wire));

    public static async ValueTask<HandshakeAnswer> ReadAnswerAsync(IWireConnection wire) => Handshake.ReadAnswer(await ReadBodyAsync(wire));

    /// <returns>False when the dialler has dropped the connection, as it does when the pair is connected otherwise.</returns>
    /// <exception cref="GeoSerializationException">Something else came.</exception>
    public static async ValueTask<bool> ReadReadyAsync(IWireConnection wire)
    {
        var frame = new byte[FrameHeader.Size];
        try
        {
            await ReadAsync(wire, frame);
        }
        catch (EndOfStreamException)
        {
            return false;
        }

        return FrameHeader.TryRead(frame, 0, out var header, out var fault) && header.Kind == FrameKind.Ready
            ? true
            : throw new GeoSerializationException($"The handshake was followed by {fault ?? $"a {header.Kind} frame"} instead of Ready.");
    }

    private static async ValueTask<byte[]> ReadBodyAsync(IWireConnection wire)
    {
        var preamble = new byte[Handshake.PreambleBytes];
        await ReadAsync(wire, preamble);
        var body = new byte[Handshake.ReadPreamble(preamble)];
        await ReadAsync(wire, body);
        return body;
    }

    private static async ValueTask ReadAsync(IWireConnection wire, Memory<byte> into)
    {
        while (!into.IsEmpty)
        {
            var received = await wire.ReceiveAsync(into);
            into = received > 0
                ? into[received..]
                : throw new EndOfStreamException("The remote closed the connection during the handshake.");
        }
    }
}
