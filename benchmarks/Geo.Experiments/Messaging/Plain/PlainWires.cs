using System.Net;
using System.Net.Sockets;

namespace Geo.Experiments.Messaging.Plain;

/// <summary>Opens the connections of the socket program as a run's settings ask for them.</summary>
internal static class PlainWires
{
    private const int LargestSendBuffer = 1024 * 1024 * 1024;

    public static async Task<IPlainWire> ConnectAsync(IPEndPoint address, PeerSettings settings)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(address);
        return await OpenAsync(socket, settings, static (tls, folder) => tls.AuthenticateAsClientAsync(folder));
    }

    public static Task<IPlainWire> AcceptedAsync(Socket socket, PeerSettings settings) =>
        OpenAsync(socket, settings, static (tls, folder) => tls.AuthenticateAsServerAsync(folder));

    private static async Task<IPlainWire> OpenAsync(Socket socket, PeerSettings settings, Func<PlainTls, string, Task> authenticate)
    {
        Prepare(socket, settings.Variant);
        if (settings.CertificateFolder is not { } folder)
        {
            return new PlainSocket(socket);
        }

        var tls = new PlainTls(socket);
        await authenticate(tls, folder);
        return tls;
    }

    // Without asking, a send buffer grows by itself to the kernel's limit, which is half of what can be asked for.
    private static void Prepare(Socket socket, Variant variant)
    {
        socket.NoDelay = true;
        if (variant.HasLargeSendBuffer)
        {
            socket.SendBufferSize = LargestSendBuffer;
        }
    }
}
