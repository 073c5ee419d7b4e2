namespace Geo.Messaging.Tests;

/// <summary>TCP that counts how often something is sent by the side that accepts.</summary>
internal sealed class CountingTransport : IWireTransport
{
    private int _sends;

    public int Sends => Volatile.Read(ref _sends);

    public IWireListener Listen(PeerAddress address) => new Listener(this, SocketTransport.Instance.Listen(address));

    public ValueTask<IWireConnection> ConnectAsync(PeerAddress address, CancellationToken cancellationToken) =>
        SocketTransport.Instance.ConnectAsync(address, cancellationToken);

    private sealed class Listener(CountingTransport owner, IWireListener inner) : IWireListener
    {
        public PeerAddress Address => inner.Address;

        public async ValueTask<IWireConnection> AcceptAsync(CancellationToken cancellationToken) =>
            new Connection(owner, await inner.AcceptAsync(cancellationToken));

        public void Dispose() => inner.Dispose();
    }

    private sealed class Connection(CountingTransport owner, IWireConnection inner) : IWireConnection
    {
        public string Remote => inner.Remote;

        public bool HasUnread => inner.HasUnread;

        public ValueTask SendAsync(List<ArraySegment<byte>> segments)
        {
            Interlocked.Increment(ref owner._sends);
            return inner.SendAsync(segments);
        }

        public ValueTask<int> ReceiveAsync(Memory<byte> buffer) => inner.ReceiveAsync(buffer);

        public void FinishSending() => inner.FinishSending();

        public void Dispose() => inner.Dispose();
    }
}
