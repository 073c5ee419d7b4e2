using Geo.Messaging;
using Microsoft.Extensions.Logging;

namespace Geo.Testing.InMemory;

/// <summary>
/// A network within the process, for tests: its nodes shake hands, frame, queue and lose links as over TCP, without a socket. Time comes
/// from the given clock alone, so that a clock that a test advances moves heartbeats, time-outs and the network's delay together.
/// </summary>
/// <remarks>
/// An address is a host and a port as with TCP; port 0 takes a free one. A node beyond loopback needs
/// <see cref="MessagingOptions.AllowInsecure"/>, as with TCP; <see cref="MessagingOptions.Tls"/> is not used. Safe to use from any thread.
/// </remarks>
/// <param name="time">The clock.</param>
public sealed class InMemoryNetwork(TimeProvider time) : IWireTransport
{
    private const int FirstFreePort = 49_152;

    private readonly Lock _lock = new();
    private readonly Dictionary<PeerAddress, InMemoryListener> _listeners = [];
    private readonly HashSet<InMemoryConnection> _connections = [];
    private int _lastPort = FirstFreePort - 1;

    /// <summary>How long what is sent takes to the other side; none by default. Set before the nodes that it is for connect.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>How many bytes may be under way in one direction of a connection before its sender waits; 1 MiB by default.</summary>
    public int WindowBytes { get; init; } = 1024 * 1024;

    /// <summary>Creates a node on this network.</summary>
    /// <param name="options">Who it is, where it listens, its limits.</param>
    /// <param name="loggers">Where links, refusals and faults are logged.</param>
    public MessagingNode CreateNode(MessagingOptions options, ILoggerFactory loggers) =>
        new(options, time, loggers, this, WireVersions.Current);

    /// <summary>Breaks every connection, as a network does that fails: what is under way is lost. New ones can be made at once.</summary>
    public void CutAll()
    {
        InMemoryConnection[] connections;
        lock (_lock)
        {
            connections = [.. _connections];
        }

        Array.ForEach(connections, static connection => connection.Cut());
    }

    IWireListener IWireTransport.Listen(PeerAddress address)
    {
        lock (_lock)
        {
            var actual = address.Port == 0 && address.UnixPath is null ? new PeerAddress(address.Host, FreePort(address.Host)) : address;
            var listener = new InMemoryListener(actual, Forget);
            return _listeners.TryAdd(actual, listener)
                ? listener
                : throw new GeoConfigurationException(
                    $"Cannot listen on {actual}: the port is in use. Choose another port (0 takes a free one).");
        }
    }

    async ValueTask<IWireConnection> IWireTransport.ConnectAsync(PeerAddress address, CancellationToken cancellationToken)
    {
        await Task.Delay(Delay, time, cancellationToken);
        lock (_lock)
        {
            if (!_listeners.TryGetValue(address, out var listener))
            {
                throw new IOException($"Cannot connect to {address}: nobody listens there");
            }

            var there = new InMemoryStream(WindowBytes, Delay, time);
            var back = new InMemoryStream(WindowBytes, Delay, time);
            var dialled = new InMemoryConnection(address.ToString(), there, back, Forget);
            var accepted = new InMemoryConnection("a dialler in memory", back, there, Forget);
            if (!listener.Offer(accepted))
            {
                throw new IOException($"Cannot connect to {address}: too many wait to be accepted there");
            }

            _connections.Add(dialled);
            _connections.Add(accepted);
            return dialled;
        }
    }

    private int FreePort(string host)
    {
        do
        {
            _lastPort = _lastPort == ushort.MaxValue ? FirstFreePort : _lastPort + 1;
        }
        while (_listeners.ContainsKey(new PeerAddress(host, _lastPort)));

        return _lastPort;
    }

    private void Forget(InMemoryListener listener)
    {
        lock (_lock)
        {
            _listeners.Remove(listener.Address);
        }
    }

    private void Forget(InMemoryConnection connection)
    {
        lock (_lock)
        {
            _connections.Remove(connection);
        }
    }
}
