using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging;

/// <summary>
/// The links of a node, at most one a peer, and who may have one. When two peers dial each other at once, the connection dialled by the
/// one whose id comes first is kept, and the other is dropped before anything has been sent on it.
/// </summary>
/// <remarks>
/// An acceptor reserves the peer's place with its welcome and fills it on the dialler's Ready; a dialler fills the place with its Ready.
/// A reservation keeps no other dialler out: of several under one name the first that is complete is the link.
/// Only one side can find the place taken by the other's dial before it has accepted that dial itself, so never are both dropped.
/// </remarks>
internal sealed class LinkTable(PeerIdentity local, MembershipFeed feed)
{
    private readonly Lock _lock = new();
    private readonly PlaceRefusals _refusals = new(local);
    private readonly Dictionary<PeerId, PeerLink> _live = [];
    private readonly Dictionary<PeerId, List<Reservation>> _reserved = [];
    private readonly Dictionary<PeerId, PeerIdentity> _claimed = [];
    private volatile PeerLink[] _snapshot = [];
    private bool _closed;

    public PeerLink[] Links => _snapshot;

    public bool TryGet(PeerId peer, [NotNullWhen(true)] out PeerLink? link)
    {
        // A snapshot of few peers is searched faster than a lock is taken; many peers are looked up.
        var links = _snapshot;
        if (links.Length <= 4)
        {
            foreach (var candidate in links)
            {
                if (candidate.Remote.Peer == peer)
                {
                    link = candidate;
                    return true;
                }
            }

            link = null;
            return false;
        }

        lock (_lock)
        {
            return _live.TryGetValue(peer, out link);
        }
    }

    /// <summary>Reserves the place of a peer that dialled.</summary>
    /// <param name="reservation">What is to hold it.</param>
    /// <param name="expectedCluster">The cluster it wants; none for any.</param>
    /// <returns>Null when the place is reserved; else why it is not.</returns>
    public Refusal? Reserve(Reservation reservation, ClusterId expectedCluster)
    {
        var remote = reservation.Remote;
        lock (_lock)
        {
            if (expectedCluster is { IsNone: false } && expectedCluster != local.Cluster)
            {
                return _refusals.NotOf(expectedCluster);
            }

            if (Check(remote) is { } refusal)
            {
                return refusal;
            }

            if (!_reserved.TryGetValue(remote.Peer, out var others))
            {
                _reserved.Add(remote.Peer, others = []);
            }

            others.Add(reservation);
            return null;
        }
    }

    /// <summary>The place held for a link, which a further connection belongs to; null when there is none.</summary>
    public Reservation? FindReservation(PeerIdentity remote, ulong link)
    {
        lock (_lock)
        {
            return _reserved.GetValueOrDefault(remote.Peer)?
                .Find(held => held.Link == link && held.Remote.IsSameStart(remote));
        }
    }

    /// <summary>The link that is up and that a bulk lane belongs to; null when there is none.</summary>
    public PeerLink? FindLink(PeerIdentity remote, ulong link)
    {
        lock (_lock)
        {
            return _live.TryGetValue(remote.Peer, out var live) && !live.WasDialledHere && live.Terms.Number == link
                && live.Remote.IsSameStart(remote) ? live : null;
        }
    }

    public void Release(Reservation reservation)
    {
        lock (_lock)
        {
            Take(reservation);
        }
    }

    /// <summary>Fills the reserved place with the link that the remote has taken into use.</summary>
    /// <returns>False when the place is no longer held for it.</returns>
    public bool Fill(Reservation reservation, PeerLink link)
    {
        var peer = link.Remote.Peer;
        lock (_lock)
        {
            if (!Take(reservation) || _closed || FindRival(link.Remote) is not null)
            {
                return false;
            }

            if (_live.TryGetValue(peer, out var live) && live.IsOpen && !Outlives(link.Remote, live.Remote))
            {
                return false;
            }

            Put(link);
            return true;
        }
    }

    /// <summary>Claims the place of a peer that was dialled here and welcomed the dial.</summary>
    /// <param name="remote">Who answered.</param>
    /// <param name="expectedCluster">The cluster that was wanted; none for any.</param>
    /// <returns>Null when the place is claimed, until <see cref="Fill(PeerLink)"/> or <see cref="Unclaim"/>; else why it is not.</returns>
    public Refusal? Claim(PeerIdentity remote, ClusterId expectedCluster)
    {
        lock (_lock)
        {
            if (expectedCluster is { IsNone: false } && expectedCluster != remote.Cluster)
            {
                return _refusals.NotOf(expectedCluster, remote);
            }

            if (Check(remote) is { } refusal)
            {
                return refusal;
            }

            if (_reserved.TryGetValue(remote.Peer, out var dialledUs) && remote.Peer < local.Peer
                && dialledUs.Exists(dial => dial.Remote.Incarnation >= remote.Incarnation))
            {
                return _refusals.Taken(remote);
            }

            _reserved.Remove(remote.Peer);
            _claimed.Add(remote.Peer, remote);
            return null;
        }
    }

    public void Unclaim(PeerIdentity remote)
    {
        lock (_lock)
        {
            if (_claimed.TryGetValue(remote.Peer, out var holder) && ReferenceEquals(holder, remote))
            {
                _claimed.Remove(remote.Peer);
            }
        }
    }

    /// <summary>Fills the claimed place with the link whose connections are all open.</summary>
    /// <returns>False when the node has begun to stop.</returns>
    public bool Fill(PeerLink link)
    {
        lock (_lock)
        {
            _claimed.Remove(link.Remote.Peer);
            if (_closed)
            {
                return false;
            }

            Put(link);
            return true;
        }
    }

    public void Remove(PeerLink link, string reason)
    {
        lock (_lock)
        {
            if (_live.TryGetValue(link.Remote.Peer, out var live) && ReferenceEquals(live, link))
            {
                _live.Remove(link.Remote.Peer);
                _snapshot = [.. _live.Values];
                feed.Add(new MembershipChange(link.Member, false, reason));
            }
        }
    }

    /// <summary>Lets no link in any more.</summary>
    /// <returns>The links that are up.</returns>
    public PeerLink[] Close()
    {
        lock (_lock)
        {
            _closed = true;
            return _snapshot;
        }
    }

    private Refusal? Check(PeerIdentity remote)
    {
        if (_closed)
        {
            return _refusals.Stopping;
        }

        if (remote.Peer == local.Peer)
        {
            return remote.Incarnation == local.Incarnation ? _refusals.Self : _refusals.Namesake;
        }

        if (FindRival(remote) is { } rival)
        {
            return _refusals.Rival(remote, rival);
        }

        // A link that is just being opened from here counts as one that is up; who opens it will say when it fails.
        var held = _live.TryGetValue(remote.Peer, out var live) && live.IsOpen ? live.Remote : _claimed.GetValueOrDefault(remote.Peer);
        if (held is null || (Outlives(remote, held) && !_claimed.ContainsKey(remote.Peer)))
        {
            return null;
        }

        return held.CertifiedAs != remote.CertifiedAs ? _refusals.OtherCertificate(remote, held)
            : held.Incarnation <= remote.Incarnation ? _refusals.Taken(remote)
            : _refusals.NewerStart(remote);
    }

    // A later start counts only from whom the earlier one was: else anybody could end a link with a higher number.
    private static bool Outlives(PeerIdentity remote, PeerIdentity held) =>
        held.Incarnation < remote.Incarnation && held.CertifiedAs == remote.CertifiedAs;

    private PeerIdentity? FindRival(PeerIdentity remote) =>
        remote.Cluster.IsNone ? null
        : _live.Values.Where(link => link.IsOpen).Select(link => link.Remote)
            .Concat(_claimed.Values).Prepend(local)
            .FirstOrDefault(
                other => other.Peer != remote.Peer && other.Cluster == remote.Cluster && other.ClusterInstance != remote.ClusterInstance);

    private bool Take(Reservation reservation)
    {
        var peer = reservation.Remote.Peer;
        var taken = _reserved.TryGetValue(peer, out var all) && all.Remove(reservation);
        if (all is { Count: 0 })
        {
            _reserved.Remove(peer);
        }

        return taken;
    }

    private void Put(PeerLink link)
    {
        var peer = link.Remote.Peer;
        if (_live.TryGetValue(peer, out var old))
        {
            feed.Add(new MembershipChange(old.Member, false, "replaced by a newer link"));
            link.Predecessor = old;
        }

        _live[peer] = link;
        _snapshot = [.. _live.Values];
        feed.Add(new MembershipChange(link.Member, true, null));
        if (old is { IsOpen: true })
        {
            old.End($"replaced by a newer start of {peer}");
        }
    }
}
