using System.Security.Cryptography.X509Certificates;

namespace Geo.Messaging;

/// <summary>
/// A reliable, ordered stream of bytes to one remote: the narrow seam under which a transport sits (TCP, Unix domain sockets, TLS over
/// either, in memory). One send and one receive may be in progress at a time. Disposing closes at once, from any thread: operations in
/// progress end with an <see cref="IOException"/>.
/// </summary>
internal interface IWireConnection : IDisposable
{
    string Remote { get; }

    /// <summary>What the other end has shown; null without TLS, and before its handshake.</summary>
    X509Certificate2? RemoteCertificate => null;

    /// <summary>True when bytes have come that nobody has received yet: then the remote is not silent, this process is slow.</summary>
    bool HasUnread => false;

    /// <summary>Sends all bytes of all segments in order, in as few system calls as it can.</summary>
    /// <exception cref="IOException">The connection broke; how much was sent is not known.</exception>
    ValueTask SendAsync(List<ArraySegment<byte>> segments);

    /// <summary>Receives at least one byte; 0 when the remote has sent its last.</summary>
    /// <exception cref="IOException">The connection broke.</exception>
    ValueTask<int> ReceiveAsync(Memory<byte> buffer);

    /// <summary>
    /// Readies the connection for large amounts of data, whose delay matters less than their rate; nothing by default. Again when the path
    /// turns out to be another.
    /// </summary>
    void PrepareForBulk(bool isLongPath)
    {
    }

    /// <summary>Tells the remote that nothing follows; receiving goes on.</summary>
    void FinishSending();
}
