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
        using var listener = SocketTransport.ListenSocket(PeerAddress.Loopback());
        using var dialled = await SocketTransport.ConnectSocketAsync(listener.Address, Net.Token);
        using var accepted = await listener.AcceptSocketAsync(Net.Token);

        foreach (var socket in new[] { dialled, accepted })
        {
            SocketTransport.Prepare(socket, listener.Address);
            Assert.Equal(0, LocksOf(socket));
            SocketTransport.PrepareForBulk(socket);
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
