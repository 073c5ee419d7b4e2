using System.Collections.Concurrent;

namespace Geo.Messaging.Tests;

/// <summary>
/// A transport, TCP when not said otherwise, whose connections a test can cut, silence so that they stay open and carry nothing, or hold as
/// if the remote did not read.
/// </summary>
internal sealed class FaultyTransport(IWireTransport? inner = null) : IWireTransport
{
    private readonly IWireTransport _inner = inner ?? SocketTransport.Instance;
    private readonly ConcurrentQueue<FaultyConnection> _connections = [];

    public bool RefusesToConnect { get; set; }

    /// <summary>True where something seems to wait on each connection from its first moment on, so that none is found silent.</summary>
    public bool SeemsUnread { get; set; }

    public int Attempts { get; private set; }

    public int Connects => _connections.Count;

    /// <summary>True when a message of a test is held, not only a heartbeat.</summary>
    public bool HoldsOne => _connections.Any(connection => connection.IsHeld);

    public IWireListener Listen(PeerAddress address) => new Listener(this, _inner.Listen(address));

    public async ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken)
    {
        Attempts++;
        return RefusesToConnect
            ? throw new IOException("cut off by the test")
            : Add(await _inner.ConnectAsync(address, cancellationToken));
    }

    public void CutAll()
    {
        foreach (var connection in _connections)
        {
            connection.Dispose();
        }
    }

    public void SilenceAll()
    {
        foreach (var connection in _connections)
        {
            connection.Silenced = true;
        }
    }

    /// <summary>As if the process had no time to receive what has come: nothing is received, and it is seen that something waits.</summary>
    public void LeaveUnread(bool unread)
    {
        foreach (var connection in _connections)
        {
            connection.DropsReceived = true;
            connection.HasUnread = unread;
        }
    }

    /// <summary>How often a connection was asked whether something waits.</summary>
    public int Judged => _connections.Max(connection => connection.Judged);

    /// <summary>Holds what is sent on all connections, or on the one that was opened as the given one.</summary>
    public void HoldSends(int? only = null)
    {
        foreach (var (index, connection) in _connections.Index())
        {
            connection.HoldsSends |= only is null || index == only;
        }
    }

    /// <summary>Lets out what is held.</summary>
    public void LetSendsGo()
    {
        foreach (var connection in _connections)
        {
            connection.LetSendsGo();
        }
    }

    private FaultyConnection Add(IWireConnection inner)
    {
        var connection = new FaultyConnection(inner) { HasUnread = SeemsUnread };
        _connections.Enqueue(connection);
        return connection;
    }

    private sealed class Listener(FaultyTransport owner, IWireListener inner) : IWireListener
    {
        public PeerAddress Address => inner.Address;

        public async ValueTask<IWireConnection> AcceptAsync(CancellationToken cancellationToken) =>
            owner.Add(await inner.AcceptAsync(cancellationToken));

        public void Dispose() => inner.Dispose();
    }

    private sealed class FaultyConnection(IWireConnection inner) : IWireConnection
    {
        // More than what a link sends of its own accord.
        private const int LargerThanHeartbeats = 1024;

        private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _letGo = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public bool Silenced { get; set; }

        public bool DropsReceived { get; set; }

        public bool HoldsSends { get; set; }

        public int Judged { get; private set; }

        public bool HasUnread
        {
            get
            {
                Judged++;
                return field || inner.HasUnread;
            }
            set;
        }

        public bool IsHeld { get; private set; }

        public string Remote => inner.Remote;

        public async ValueTask SendAsync(List<ArraySegment<byte>> segments)
        {
            if (HoldsSends)
            {
                IsHeld |= segments.Sum(segment => segment.Count) > LargerThanHeartbeats;
                if (await Task.WhenAny(_disposed.Task, _letGo.Task) == _disposed.Task)
                {
                    throw new IOException("cut off by the test");
                }
            }

            if (!Silenced)
            {
                await inner.SendAsync(segments);
            }
        }

        public async ValueTask<int> ReceiveAsync(Memory<byte> buffer)
        {
            while (true)
            {
                var received = await inner.ReceiveAsync(buffer);
                if (!(Silenced || DropsReceived) || received == 0)
                {
                    return received;
                }
            }
        }

        public void LetSendsGo()
        {
            HoldsSends = false;
            _letGo.TrySetResult();
        }

        public void FinishSending() => inner.FinishSending();

        public void Dispose()
        {
            _disposed.TrySetResult();
            inner.Dispose();
        }
    }
}
