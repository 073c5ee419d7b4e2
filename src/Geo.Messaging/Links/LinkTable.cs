// Longer than most: live links, those that are being opened from either side, and who comes before whom change under one lock.

namespace Geo.Messaging;

/// <summary>
/// The links of a node, at most one a peer, and who may have one. When two peers dial each other at once, the connection dialled by the
/// one whose id comes first is kept, and the other is dropped before anything has been sent on it.
/// </summary>
/// <remarks>
/// A peer's place is that of its name in its cluster: a client, or a silo of another cluster, that bears a silo's name takes nothing from
/// it. An acceptor reserves the peer's place with its welcome and fills it on the dialler's Ready; a dialler fills the place with its
/// Ready. A reservation keeps no other dialler out: of several under one name the first that is complete is the link.
/// Only one side can find the place taken by the other's dial before it has accepted that dial itself, so never are both dropped.
/// </remarks>
internal sealed class LinkTable(PeerIdentity local, EventFeed<MembershipChange> feed, NodeBudget connections)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<(ClusterId, PeerId), PeerLink> _live = [];

    // Few: a node bounds how many connections it opens at once.
    private readonly List<Reservation> _reserved = [];
    private readonly Dictionary<(ClusterId, PeerId), PeerIdentity> _claimed = [];

    // Read without the lock, and never changed.
    private volatile PeerLink[] _snapshot = [];
    private volatile Dictionary<PeerId, PeerLink> _byName = [];
    private bool _closed;

    public PeerLink[] Links => _snapshot;

    /// <summary>Why peers get no place.</summary>
    public PlaceRefusals Refusals { get; } = new(local, connections);

    /// <summary>
    /// The link with the peer of a name: a sibling's, else that of who has a certificate for the very name, else a silo's before a
    /// client's; among equals that of who came first.
    /// </summary>
    public PeerLink? Find(PeerId peer) => _byName.TryGetValue(peer, out var link) ? link : null;

    /// <summary>The link with exactly that peer.</summary>
    public PeerLink? Find(ClusterId cluster, PeerId peer)
    {
        lock (_lock)
        {
            return _live.GetValueOrDefault((cluster, peer));
        }
    }

    /// <summary>Reserves the place of a peer that dialled.</summary>
    /// <returns>Null when the place is reserved; else why it is not.</returns>
    public Refusal? Reserve(Reservation reservation, ClusterId expectedCluster)
    {
        var remote = reservation.Remote;
        lock (_lock)
        {
            if (expectedCluster is { IsNone: false } && expectedCluster != local.Cluster)
            {
                return Refusals.NotOf(expectedCluster);
            }

            if (Check(remote, reservation.Link) is { } refusal)
            {
                return refusal;
            }

            if (!reservation.HasRoom(_live.GetValueOrDefault(remote.Place)))
            {
                return Refusals.TooMany(reservation.Connections);
            }

            _reserved.Add(reservation);
            return null;
        }
    }

    /// <summary>The place held for a link, which a further connection belongs to; null when there is none.</summary>
    public Reservation? FindReservation(PeerIdentity remote, ulong link)
    {
        lock (_lock)
        {
            return _reserved.Find(held => held.Link == link && held.Remote.IsSameStart(remote));
        }
    }

    /// <summary>The link that is up and that a bulk lane belongs to; null when there is none.</summary>
    public PeerLink? FindLink(PeerIdentity remote, ulong link)
    {
        lock (_lock)
        {
            return _live.TryGetValue(remote.Place, out var live) && !live.WasDialledHere && live.Context.Terms.Number == link
                && live.Remote.IsSameStart(remote) ? live : null;
        }
    }

    public void Release(Reservation reservation)
    {
        lock (_lock)
        {
            _reserved.Remove(reservation);
        }
    }

    /// <summary>Fills the reserved place with the link that the remote has taken into use.</summary>
    /// <returns>Null when it is filled; else why it is no longer to be had.</returns>
    public Refusal? Fill(Reservation reservation, PeerLink link)
    {
        lock (_lock)
        {
            if ((_reserved.Remove(reservation) ? Check(link.Remote, reservation.Link) : Refusals.Taken(link.Remote)) is { } refusal)
            {
                return refusal;
            }

            if (!link.TryCount(_live.GetValueOrDefault(link.Remote.Place)))
            {
                return Refusals.TooMany(reservation.Connections);
            }

            Put(link);
            return null;
        }
    }

    /// <summary>Claims the place of a peer that was dialled here and welcomed the dial.</summary>
    /// <returns>Null when the place is claimed, until <see cref="Fill(PeerLink)"/> or <see cref="Unclaim"/>; else why it is not.</returns>
    public Refusal? Claim(PeerIdentity remote, ClusterId expectedCluster)
    {
        lock (_lock)
        {
            if (expectedCluster is { IsNone: false } && expectedCluster != remote.Cluster)
            {
                return Refusals.NotOf(expectedCluster, remote);
            }

            if (Check(remote) is { } refusal)
            {
                return refusal;
            }

            // Only what that very process dials is sure to come: anybody else's dial may never be completed.
            if (remote.Peer < local.Peer && _reserved.Exists(dial => dial.Remote.IsSameStart(remote)))
            {
                return Refusals.Taken(remote);
            }

            _reserved.RemoveAll(dial => dial.Remote.Place == remote.Place);
            _claimed.Add(remote.Place, remote);
            return null;
        }
    }

    public void Unclaim(PeerIdentity remote)
    {
        lock (_lock)
        {
            if (_claimed.TryGetValue(remote.Place, out var holder) && ReferenceEquals(holder, remote))
            {
                _claimed.Remove(remote.Place);
            }
        }
    }

    /// <summary>Fills the claimed place with the link whose connections are all open.</summary>
    /// <returns>Null when it is filled; else why it is not.</returns>
    public Refusal? Fill(PeerLink link)
    {
        lock (_lock)
        {
            _claimed.Remove(link.Remote.Place);
            if (_closed)
            {
                return Refusals.Stopping;
            }

            Put(link);
            return null;
        }
    }

    /// <summary>Takes a link that is in the table into use, and out of the table when it has ended.</summary>
    /// <returns>Ends with the link.</returns>
    public async Task RunAsync(PeerLink link, string address)
    {
        var logger = link.Context.Node.Logger;
        MessagingLog.LinkUp(logger, link.Remote, address, link.Context.Terms.Version);
        await link.StartAsync();
        var reason = await link.Ended;
        MessagingLog.LinkDown(logger, link.Remote, reason);
        lock (_lock)
        {
            if (_live.TryGetValue(link.Remote.Place, out var live) && ReferenceEquals(live, link))
            {
                _live.Remove(link.Remote.Place);
                NoteLinks(link.Remote.Peer);
                feed.Add(new MembershipChange(link.Member, false, reason));
            }
        }
    }

    /// <summary>Lets no link in any more.</summary>
    public PeerLink[] Close()
    {
        lock (_lock)
        {
            _closed = true;
            return _snapshot;
        }
    }

    /// <summary>The link that a connection was to open is not opened: the connection has given way.</summary>
    public void GiveUp(IWireConnection wire)
    {
        Reservation? opening;
        lock (_lock)
        {
            opening = _reserved.Find(held => held.Has(wire));
        }

        opening?.End();
    }

    private Refusal? Check(PeerIdentity remote, ulong? dialledAs = null)
    {
        if (_closed)
        {
            return Refusals.Stopping;
        }

        if (remote.Peer == local.Peer)
        {
            return remote.Incarnation == local.Incarnation ? Refusals.Self : Refusals.Namesake;
        }

        if (FindRival(remote) is { } rival)
        {
            return Refusals.Rival(remote, rival);
        }

        // A link that is just being opened from here counts as one that is up; who opens it will say when it fails.
        var held = _live.TryGetValue(remote.Place, out var live) && live.IsOpen && !IsLost(live, remote, dialledAs)
            ? live.Remote
            : _claimed.GetValueOrDefault(remote.Place);
        if (held is null || (Outlives(remote, held) && !_claimed.ContainsKey(remote.Place)))
        {
            return null;
        }

        return held.CertifiedAs != remote.CertifiedAs ? Refusals.OtherCertificate(remote, held)
            : held.Incarnation <= remote.Incarnation ? Refusals.Taken(remote)
            : Refusals.NewerStart(remote);
    }

    // A later start counts only from whom the earlier one was: else anybody could end a link with a higher number. But a certificate for
    // the very name is worth more than one for any: who may have every name keeps nobody out of their own.
    private static bool Outlives(PeerIdentity remote, PeerIdentity held) => held.CertifiedAs == remote.CertifiedAs
        ? held.Incarnation < remote.Incarnation
        : held.CertifiedAs is { Peer.IsNone: true } && remote.CertifiedAs is { Peer.IsNone: false };

    // A process dials again when its link has ended. That may not have been noticed here, while a handler holds up who would.
    private static bool IsLost(PeerLink live, PeerIdentity remote, ulong? dialledAs) =>
        dialledAs is { } number && live.Remote.IsSameStart(remote) && live.IsSilent
        && (live.WasDialledHere || number > live.Context.Terms.Number);

    // What is sent to a name is for a sibling that bears it, then for who has a certificate for that very name, then for a silo.
    private int RankOf(PeerLink link) =>
        link.Remote.Cluster.IsNone ? 0
        : link.Remote.Cluster == local.Cluster ? 3
        : link.Remote.CertifiedAs is { Peer.IsNone: false } ? 2 : 1;

    private PeerIdentity? FindRival(PeerIdentity remote) =>
        remote.Cluster.IsNone ? null
        : _live.Values.Where(link => link.IsOpen).Select(link => link.Remote)
            .Concat(_claimed.Values).Prepend(local)
            .FirstOrDefault(
                other => other.Peer != remote.Peer && other.Cluster == remote.Cluster && other.ClusterInstance != remote.ClusterInstance);

    private void Put(PeerLink link)
    {
        if (_live.TryGetValue(link.Remote.Place, out var old))
        {
            link.Predecessor = old;
        }

        _live[link.Remote.Place] = link;
        NoteLinks(link.Remote.Peer);

        // Whoever hears of it finds the new one already.
        if (old is not null)
        {
            feed.Add(new MembershipChange(old.Member, false, "replaced by a newer link"));
        }

        feed.Add(new MembershipChange(link.Member, true, null));
        if (old is { IsOpen: true })
        {
            old.End($"replaced by a newer start of {link.Remote.Peer}");
        }
    }

    private void NoteLinks(PeerId changed)
    {
        PeerLink[] links = [.. _live.Values];
        var byName = new Dictionary<PeerId, PeerLink>(_byName);
        byName.Remove(changed, out var held);

        // Who was there first stays, among equals.
        var first = links.Where(link => link.Remote.Peer == changed)
            .OrderByDescending(RankOf).ThenByDescending(link => link == held).FirstOrDefault();
        if (first is not null)
        {
            byName[changed] = first;
        }

        // In this order: who sees a link among all finds it by its name.
        _byName = byName;
        _snapshot = links;
    }
}
