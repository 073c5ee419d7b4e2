using System.Net.Sockets;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>A socket: all segments leave in one system call.</summary>
internal sealed class PlainSocket(Socket socket) : IPlainWire
{
    public ValueTask<int> ReceiveAsync(Memory<byte> buffer) => socket.ReceiveAsync(buffer);

    public Task SendAsync(List<ArraySegment<byte>> segments) => socket.SendAsync(segments);

    public void Dispose() => socket.Dispose();
}
