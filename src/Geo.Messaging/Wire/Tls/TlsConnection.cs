using System.Net.Security;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Geo.Messaging;

/// <summary>
/// A TCP or Unix domain connection under TLS. The TLS handshake of an accepted connection runs with its first receive, under whatever time
/// limit the receiver has, so that a slow dialler holds up nobody else.
/// </summary>
internal sealed class TlsConnection : IWireConnection
{
    private readonly SocketConnection _inner;
    private readonly SslStream _stream;
    private readonly Func<SslStream, Task> _authenticate;
    private bool _authenticated;

    public TlsConnection(Socket socket, PeerAddress address, Func<SslStream, Task> authenticate)
    {
        (_inner, _authenticate) = (new SocketConnection(socket, address), authenticate);
        _stream = new SslStream(new NetworkStream(socket, ownsSocket: true));
    }

    public string Remote => _inner.Remote;

    public bool HasUnread => _inner.HasUnread;

    public X509Certificate2? RemoteCertificate => _authenticated ? _stream.RemoteCertificate as X509Certificate2 : null;

    /// <exception cref="AuthenticationException">One side does not trust the other, or the remote does not speak TLS.</exception>
    /// <exception cref="IOException">The connection broke.</exception>
    public async ValueTask AuthenticateAsync()
    {
        try
        {
            await _authenticate(_stream);
            _authenticated = true;
        }
        catch (AuthenticationException e)
        {
            throw new AuthenticationException(
                $"TLS with {Remote} failed: {e.Message} {e.InnerException?.Message} Both sides need certificates of an authority that the "
                + "other trusts, valid now, the listener's for the host that is dialled.",
                e);
        }
        catch (Exception e) when (e is ObjectDisposedException or SocketException)
        {
            throw new IOException(e.Message, e);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SendAsync(List<ArraySegment<byte>> segments)
    {
        try
        {
            foreach (var segment in segments)
            {
                await _stream.WriteAsync(segment);
            }
        }
        catch (Exception e) when (e is ObjectDisposedException or SocketException or InvalidOperationException)
        {
            throw new IOException(e.Message, e);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<int> ReceiveAsync(Memory<byte> buffer)
    {
        if (!_authenticated)
        {
            await AuthenticateAsync();
        }

        try
        {
            return await _stream.ReadAsync(buffer);
        }
        catch (Exception e) when (e is ObjectDisposedException or SocketException or InvalidOperationException)
        {
            throw new IOException(e.Message, e);
        }
    }

    public void PrepareForBulk(bool isLongPath) => _inner.PrepareForBulk(isLongPath);

    public void FinishSending() => _inner.FinishSending();

    public void Dispose()
    {
        // The socket first: it ends what is in progress, which the stream would wait for.
        _inner.Dispose();
        _stream.Dispose();
    }
}
