using Geo.Messaging;
using Geo.Messaging.Overlays;

namespace Geo.Testing.Overlays;

/// <summary>One peer's end of a <see cref="SimulatedOverlayNetwork"/>.</summary>
public sealed class SimulatedOverlayTransport : IOverlayTransport
{
    private readonly SimulatedOverlayNetwork _network;
    private readonly SortedDictionary<PeerId, SimulatedLink> _links = [];
    private readonly Dictionary<PeerAddress, long> _dialled = [];
    private long _dials;
    private TimeSpan _lastNotice;
    private IOverlayListener? _listener;

    internal SimulatedOverlayTransport(SimulatedOverlayNetwork network, PeerId peer, PeerAddress? address) =>
        (_network, Peer, Address) = (network, peer, address);

    /// <inheritdoc/>
    public PeerId Peer { get; }

    /// <inheritdoc/>
    public PeerAddress? Address { get; }

    /// <summary>True after <see cref="Crash"/>.</summary>
    public bool IsDown { get; private set; }

    /// <summary>The frames that arrived here.</summary>
    public long FramesReceived { get; private set; }

    internal IEnumerable<SimulatedLink> Links => _links.Values;

    /// <summary>Takes the peer down: its links break, and nobody reaches it.</summary>
    public void Crash()
    {
        IsDown = true;
        foreach (var link in _links.Values.ToList())
        {
            _network.Break(link);
        }
    }

    /// <inheritdoc/>
    public IDisposable Listen(IOverlayListener listener)
    {
        _listener = listener;
        foreach (var link in _links.Values.Where(link => link.IsUp).ToList())
        {
            listener.LinkUp(link.Other(this).Peer);
        }

        return new Listening(this, listener);
    }

    /// <inheritdoc/>
    public void Connect(PeerAddress address)
    {
        if (!IsDown && _dialled.TryAdd(address, ++_dials))
        {
            _network.Dial(this, address, _dials);
        }
    }

    /// <inheritdoc/>
    public void CancelConnect(PeerAddress address) => _dialled.Remove(address);

    /// <inheritdoc/>
    public Task DisconnectAsync(PeerId peer)
    {
        foreach (var address in _dialled.Keys.Where(address => _network.At(address)?.Peer == peer).ToList())
        {
            _dialled.Remove(address);
        }

        if (_links.Remove(peer, out var link))
        {
            _network.CloseFrom(this, link);
        }

        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public bool TrySend(PeerId to, ReadOnlyMemory<byte> frame) =>
        !IsDown && _links.TryGetValue(to, out var link) && link.IsUp && _network.Carry(link, this, frame.ToArray());

    internal bool IsDialling(PeerAddress address, long dial) =>
        !IsDown && _dialled.TryGetValue(address, out var current) && current == dial;

    internal bool IsLinkedWith(PeerId peer) => _links.ContainsKey(peer);

    internal void Up(SimulatedLink link)
    {
        var peer = link.Other(this).Peer;
        _links[peer] = link;
        Notice(listener => listener.LinkUp(peer));
    }

    internal void Down(SimulatedLink link)
    {
        var peer = link.Other(this).Peer;
        if (!IsDown && _links.TryGetValue(peer, out var current) && ReferenceEquals(current, link))
        {
            _links.Remove(peer);
            Notice(listener => listener.LinkDown(peer));
        }
    }

    private void Notice(Action<IOverlayListener> tell) => _network.Notice(ref _lastNotice, () =>
    {
        if (!IsDown && _listener is { } listener)
        {
            tell(listener);
        }
    });

    internal void Receive(PeerId from, byte[] frame)
    {
        if (!IsDown)
        {
            FramesReceived++;
            _listener?.Received(from, frame);
        }
    }

    private sealed class Listening(SimulatedOverlayTransport transport, IOverlayListener listener) : IDisposable
    {
        public void Dispose()
        {
            if (ReferenceEquals(transport._listener, listener))
            {
                transport._listener = null;
            }
        }
    }
}
