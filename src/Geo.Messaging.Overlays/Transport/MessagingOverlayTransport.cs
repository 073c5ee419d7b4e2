using Microsoft.Extensions.Logging;

namespace Geo.Messaging.Overlays;

/// <summary>Runs an overlay over the links of a <see cref="MessagingNode"/>.</summary>
internal sealed class MessagingOverlayTransport(
    MessagingNode node, PeerAddress? advertised, string channel, ILogger logger) : IOverlayTransport
{
    /// <summary>The service that carries the frames of overlays.</summary>
    public const string Service = "geo.overlay";

    // One for all, which keeps them in order.
    private readonly PartitionKey _key = PartitionKey.From(node.Peer.Name);
    private readonly Lock _lock = new();

    // Whom each dialled address led to; an address may be a load balancer's, which no member has.
    private readonly Dictionary<PeerAddress, PeerId> _dialled = [];

    public PeerId Peer => node.Peer;

    public PeerAddress? Address => advertised ?? node.ListeningOn;

    public IDisposable Listen(IOverlayListener listener) => new LinksByName(node, Service, listener);

    public void Connect(PeerAddress address)
    {
        lock (_lock)
        {
            if (!_dialled.TryAdd(address, default))
            {
                return;
            }
        }

        _ = DialAsync(address);
    }

    public void CancelConnect(PeerAddress address)
    {
        lock (_lock)
        {
            _dialled.Remove(address);
        }

        node.Disconnect(address);
    }

    public Task DisconnectAsync(PeerId peer)
    {
        PeerAddress[] addresses;
        lock (_lock)
        {
            addresses = [.. _dialled.Where(dial => dial.Value == peer).Select(dial => dial.Key)];
        }

        Array.ForEach(addresses, CancelConnect);
        return node.DisconnectAsync(peer);
    }

    public bool TrySend(PeerId to, ReadOnlyMemory<byte> frame) =>
        node.TrySend(to, Service, frame, new MessageOptions(channel, _key)) == SendOutcome.Queued;

    private async Task DialAsync(PeerAddress address)
    {
        try
        {
            var peer = await node.JoinAsync(address);
            lock (_lock)
            {
                if (_dialled.ContainsKey(address))
                {
                    _dialled[address] = peer;
                }
            }
        }
        catch (Exception e) when (e is GeoException or ObjectDisposedException)
        {
            // The overlay hears of a link when there is one; the node dials on unless it is stopping or may not dial there at all.
            OverlayLog.NotReached(logger, Peer, address, e.Message);
        }
    }
}
