using System.Buffers.Binary;
using System.Net.Sockets;

namespace Geo.Messaging.Tests;

/// <summary>
/// Whatever the kernel's largest buffers are, connections use them as they grow: a size that is asked for, which net.core.wmem_max cuts,
/// would switch the growing off, and the kernel says so of a socket.
/// </summary>
public sealed class KernelBufferTests
{
    private const int SocketLevel = 1;
    private const int BufferLock = 72;

    [Fact]
    public async Task The_kernel_alone_sizes_the_buffers_of_connections_and_of_bulk_lanes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the option is Linux's");
        List<Socket> accepted = [];
        using var listener = SocketTransport.Listen(PeerAddress.Loopback(), (socket, address) =>
        {
            accepted.Add(socket);
            return new SocketConnection(socket, address);
        });
        using var dialled = await SocketTransport.ConnectSocketAsync(listener.Address, Net.Token);
        using var dialling = new SocketConnection(dialled, listener.Address);
        using var accepting = await listener.AcceptAsync(Net.Token);

        foreach (var (socket, wire) in new[] { (dialled, dialling), (Assert.Single(accepted), accepting) })
        {
            Assert.Equal(0, LocksOf(socket));
            wire.PrepareForBulk(isLongPath: true);
            Assert.Equal(0, LocksOf(socket));
        }

        dialled.SendBufferSize = 1024 * 1024;
        Assert.NotEqual(0, LocksOf(dialled));
    }

    private static int LocksOf(Socket socket)
    {
        Span<byte> locks = stackalloc byte[sizeof(int)];
        socket.GetRawSocketOption(SocketLevel, BufferLock, locks);
        return BinaryPrimitives.ReadInt32LittleEndian(locks);
    }
}
