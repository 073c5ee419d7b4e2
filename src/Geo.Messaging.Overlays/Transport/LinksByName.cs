using System.Collections.Concurrent;

namespace Geo.Messaging.Overlays;

/// <summary>
/// Tells an overlay, which knows peers by name, of a node's links and what arrives on them: of several peers with one name it hears of the
/// one that the node sends to, and of no other.
/// </summary>
internal sealed class LinksByName : IDisposable
{
    // Held while the overlay is told, so that it is told in order; not while frames arrive, which may be many and wait.
    private readonly Lock _lock = new();
    private readonly ConcurrentDictionary<PeerId, Member> _told = new();
    private readonly MessagingNode _node;
    private readonly IOverlayListener _listener;
    private readonly IDisposable _handler;

    public LinksByName(MessagingNode node, string service, IOverlayListener listener)
    {
        (_node, _listener) = (node, listener);
        _handler = node.Handle(service, (message, _) =>
        {
            Receive(message);
            return default;
        });
        node.MembersChanged += OnChanged;
        foreach (var member in node.Members)
        {
            Look(member.Peer);
        }
    }

    public void Dispose()
    {
        _node.MembersChanged -= OnChanged;
        _handler.Dispose();
    }

    private void OnChanged(MembershipChange change)
    {
        var peer = change.Member.Peer;
        lock (_lock)
        {
            // It may be back already: what was under way on the link before is lost.
            if (!change.IsUp && _told.GetValueOrDefault(peer) == change.Member)
            {
                _told.TryRemove(peer, out _);
                _listener.LinkDown(peer);
            }

            Look(peer);
        }
    }

    private void Look(PeerId peer)
    {
        lock (_lock)
        {
            var told = _told.GetValueOrDefault(peer);
            if (_node.FindMember(peer) is not { } now || now == told)
            {
                return;
            }

            if (told is not null)
            {
                _listener.LinkDown(peer);
            }

            _told[peer] = now;
            _listener.LinkUp(peer);
        }
    }

    private void Receive(PeerMessage message)
    {
        if (!_told.TryGetValue(message.From, out var told) || told.Cluster != message.FromCluster)
        {
            // Its link has just come up, perhaps in the place of a namesake's; or it is the namesake.
            Look(message.From);
        }

        // What comes when its link has ended already is the overlay's to count.
        if (!_told.TryGetValue(message.From, out told) || told.Cluster == message.FromCluster)
        {
            _listener.Received(message.From, message.Payload.Span);
        }
    }
}
