using System.Threading.Channels;
using Geo.Messaging;

namespace Geo.Testing.InMemory;

/// <summary>Accepts the connections of an <see cref="InMemoryNetwork"/> at one address.</summary>
internal sealed class InMemoryListener(PeerAddress address, Action<InMemoryListener> forget) : IWireListener
{
    // As many as a listening socket lets wait.
    private const int Backlog = 512;

    private readonly Channel<InMemoryConnection> _waiting = Channel.CreateBounded<InMemoryConnection>(Backlog);

    public PeerAddress Address { get; } = address;

    /// <summary>Lets a connection wait to be accepted.</summary>
    /// <returns>False when too many wait, or nobody accepts any more.</returns>
    public bool Offer(InMemoryConnection connection) => _waiting.Writer.TryWrite(connection);

    public async ValueTask<IWireConnection> AcceptAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _waiting.Reader.ReadAsync(cancellationToken);
        }
        catch (ChannelClosedException e)
        {
            throw new IOException($"Cannot accept on {Address}: it is closed", e);
        }
    }

    public void Dispose()
    {
        forget(this);
        _waiting.Writer.TryComplete();
        while (_waiting.Reader.TryRead(out var connection))
        {
            connection.Dispose();
        }
    }
}
