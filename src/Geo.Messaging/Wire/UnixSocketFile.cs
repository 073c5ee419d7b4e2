using System.Net.Sockets;

namespace Geo.Messaging;

/// <summary>
/// Listens on a Unix domain socket. A lock on the file beside it says who listens, so that the socket's file left behind by a process
/// that died is known to be stale, and removed, while that of a living one is never taken away. The empty lock file stays: removing it
/// would let two processes hold locks on two files of one name.
/// </summary>
internal static class UnixSocketFile
{
    private const string LockSuffix = ".lock";
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <exception cref="GeoConfigurationException">Another process listens there, or the file cannot be made.</exception>
    public static SocketListener Listen(PeerAddress address, Func<Socket, PeerAddress, IWireConnection> connect)
    {
        var path = address.UnixPath!;
        var held = Lock(address);
        Socket? socket = null;
        try
        {
            RemoveStale(address);
            socket = NewSocket();
            socket.Bind(new UnixDomainSocketEndPoint(path));
            if (!OperatingSystem.IsWindows())
            {
                // Nobody can have connected yet: only what listens can be connected to.
                File.SetUnixFileMode(path, OwnerOnly);
            }

            socket.Listen(512);
            return new SocketListener(socket, address, connect, held);
        }
        catch (Exception e) when (e is SocketException or IOException or UnauthorizedAccessException or PlatformNotSupportedException)
        {
            socket?.Dispose();
            held.Dispose();
            throw new GeoConfigurationException(
                $"Cannot listen on {address}: {e.Message}. Choose a file in a directory that this user may write.", e);
        }
        catch
        {
            socket?.Dispose();
            held.Dispose();
            throw;
        }
    }

    public static Socket NewSocket() => new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

    private static FileStream Lock(PeerAddress address)
    {
        var path = address.UnixPath + LockSuffix;
        try
        {
            var options = new FileStreamOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, Share = FileShare.None };
            if (!OperatingSystem.IsWindows())
            {
                options.UnixCreateMode = OwnerOnly;
            }

            return new FileStream(path, options);
        }
        catch (Exception e) when (e is DirectoryNotFoundException or UnauthorizedAccessException)
        {
            throw new GeoConfigurationException(
                $"Cannot listen on {address}: {e.Message} Choose a file in a directory that this user may write.", e);
        }
        catch (IOException e)
        {
            throw new GeoConfigurationException(
                $"Cannot listen on {address}: another process does ({path} is locked). Stop it or choose another file.", e);
        }
    }

    // With the lock held no peer listens there. What is no socket is not ours to remove.
    private static void RemoveStale(PeerAddress address)
    {
        var file = new FileInfo(address.UnixPath!);
        if (!file.Exists)
        {
            return;
        }

        if (!IsSocket(file))
        {
            throw new GeoConfigurationException(
                $"Cannot listen on {address}: a file that is no socket is there. Remove it or choose another one.");
        }

        using var probe = NewSocket();
        try
        {
            probe.Connect(new UnixDomainSocketEndPoint(file.FullName));
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionRefused)
        {
            file.Delete();
            return;
        }

        throw new GeoConfigurationException($"Cannot listen on {address}: another program does. Stop it or choose another file.");
    }

    // Only what is no socket can be opened as a file.
    private static bool IsSocket(FileInfo file)
    {
        try
        {
            using var opened = File.OpenHandle(file.FullName);
            return false;
        }
        catch (IOException)
        {
            return true;
        }
    }
}
