using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging;

/// <summary>
/// The links of a node, at most one a peer, and who may have one. When two peers dial each other at once, the connection dialled by the
/// one whose id comes first is kept, and the other is dropped before anything has been sent on it.
/// </summary>
/// <remarks>
/// An acceptor reserves the peer's place with its welcome and fills it on the dialler's Ready; a dialler fills the place with its Ready.
/// Only one side can find the place taken by the other's dial before it has accepted that dial itself, so never are both dropped.
/// </remarks>
internal sealed class LinkTable(PeerIdentity local, MembershipFeed feed)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<PeerId, Lane> _live = [];
    private readonly Dictionary<PeerId, PeerIdentity> _reserved = [];
    private volatile Lane[] _snapshot = [];
    private bool _closed;

    /// <summary>The links that are up.</summary>
    public Lane[] Lanes => _snapshot;

    public bool TryGet(PeerId peer, [NotNullWhen(true)] out Lane? lane)
    {
        // A snapshot of few peers is searched faster than a lock is taken; many peers are looked up.
        var lanes = _snapshot;
        if (lanes.Length <= 4)
        {
            foreach (var candidate in lanes)
            {
                if (candidate.Remote.Peer == peer)
                {
                    lane = candidate;
                    return true;
                }
            }

            lane = null;
            return false;
        }

        lock (_lock)
        {
            return _live.TryGetValue(peer, out lane);
        }
    }

    /// <summary>Reserves the place of a peer that dialled.</summary>
    /// <param name="remote">Who it says it is.</param>
    /// <param name="expectedCluster">The cluster it wants; none for any.</param>
    /// <returns>Null when the place is reserved; else why it is not.</returns>
    public Refusal? Reserve(PeerIdentity remote, ClusterId expectedCluster)
    {
        lock (_lock)
        {
            if (expectedCluster is { IsNone: false } && expectedCluster != local.Cluster)
            {
                return new Refusal(RefusalReason.WrongCluster, $"{local} was dialled as an entry point of cluster {expectedCluster}; correct the address list", local.Peer);
            }

            if (Check(remote) is { } refusal)
            {
                return refusal;
            }

            return _reserved.TryAdd(remote.Peer, remote) ? null : Taken(remote);
        }
    }

    /// <summary>Gives a reserved place back.</summary>
    public void Release(PeerIdentity remote)
    {
        lock (_lock)
        {
            if (_reserved.TryGetValue(remote.Peer, out var holder) && ReferenceEquals(holder, remote))
            {
                _reserved.Remove(remote.Peer);
            }
        }
    }

    /// <summary>Fills the reserved place with the connection that the remote has taken into use.</summary>
    /// <returns>False when the place is no longer held for it.</returns>
    public bool Fill(Lane lane)
    {
        lock (_lock)
        {
            if (_closed || !_reserved.TryGetValue(lane.Remote.Peer, out var holder) || !ReferenceEquals(holder, lane.Remote))
            {
                return false;
            }

            _reserved.Remove(lane.Remote.Peer);
            if (_live.TryGetValue(lane.Remote.Peer, out var live) && live.IsOpen && live.Remote.Incarnation >= lane.Remote.Incarnation)
            {
                return false;
            }

            Put(lane);
            return true;
        }
    }

    /// <summary>Takes the place for a connection that was dialled here and welcomed.</summary>
    /// <param name="lane">The connection.</param>
    /// <param name="expectedCluster">The cluster that was wanted; none for any.</param>
    /// <returns>Null when the connection is now the link; else why it is not.</returns>
    public Refusal? Claim(Lane lane, ClusterId expectedCluster)
    {
        var remote = lane.Remote;
        lock (_lock)
        {
            if (expectedCluster is { IsNone: false } && expectedCluster != remote.Cluster)
            {
                return new Refusal(RefusalReason.WrongCluster, $"{remote} answered where an entry point of cluster {expectedCluster} was expected; correct the address list", local.Peer);
            }

            if (Check(remote) is { } refusal)
            {
                return refusal;
            }

            if (_reserved.TryGetValue(remote.Peer, out var dialledUs) && dialledUs.Incarnation >= remote.Incarnation && remote.Peer < local.Peer)
            {
                return Taken(remote);
            }

            _reserved.Remove(remote.Peer);
            Put(lane);
            return null;
        }
    }

    /// <summary>Removes a link that has ended.</summary>
    public void Remove(Lane lane, string reason)
    {
        lock (_lock)
        {
            if (_live.TryGetValue(lane.Remote.Peer, out var live) && ReferenceEquals(live, lane))
            {
                _live.Remove(lane.Remote.Peer);
                _snapshot = [.. _live.Values];
                feed.Add(new MembershipChange(MemberOf(lane), false, reason));
            }
        }
    }

    /// <summary>Lets no link in any more.</summary>
    /// <returns>The links that are up.</returns>
    public IReadOnlyList<Lane> Close()
    {
        lock (_lock)
        {
            _closed = true;
            return _snapshot;
        }
    }

    public static Member MemberOf(Lane lane) => new(lane.Remote.Peer, lane.Remote.Cluster, lane.Remote.Incarnation);

    private Refusal? Check(PeerIdentity remote)
    {
        if (_closed)
        {
            return new Refusal(RefusalReason.Stopping, $"{local} is stopping", local.Peer);
        }

        if (remote.Peer == local.Peer)
        {
            return remote.Incarnation == local.Incarnation
                ? new Refusal(RefusalReason.Self, $"{local} dialled itself; remove its own address from the address list", local.Peer)
                : new Refusal(RefusalReason.PeerIdInUse, $"two processes call themselves {local}; give each peer an id of its own", local.Peer);
        }

        if (FindRival(remote) is { } rival)
        {
            return new Refusal(
                RefusalReason.DuplicateClusterId,
                $"two clusters claim the id {remote.Cluster}: that of {rival.Peer} and that of {remote.Peer}; give each cluster an id of its own"
                + " (or, for silos of one cluster, the same ClusterInstance)",
                local.Peer);
        }

        if (!_live.TryGetValue(remote.Peer, out var live) || !live.IsOpen || live.Remote.Incarnation < remote.Incarnation)
        {
            return null;
        }

        return live.Remote.Incarnation == remote.Incarnation
            ? Taken(remote)
            : new Refusal(RefusalReason.PeerIdInUse, $"a newer process called {remote.Peer} is connected to {local}; stop one of the two or rename it", local.Peer);
    }

    private PeerIdentity? FindRival(PeerIdentity remote) =>
        remote.Cluster.IsNone ? null
        : _live.Values.Where(lane => lane.IsOpen).Select(lane => lane.Remote).Concat(_reserved.Values).Prepend(local)
            .FirstOrDefault(other => other.Peer != remote.Peer && other.Cluster == remote.Cluster && other.ClusterInstance != remote.ClusterInstance);

    private Refusal Taken(PeerIdentity remote) =>
        new(RefusalReason.AlreadyConnected, $"{local} and {remote} are connected already", local.Peer);

    private void Put(Lane lane)
    {
        if (_live.TryGetValue(lane.Remote.Peer, out var old))
        {
            feed.Add(new MembershipChange(MemberOf(old), false, "replaced by a newer link"));
        }

        _live[lane.Remote.Peer] = lane;
        _snapshot = [.. _live.Values];
        feed.Add(new MembershipChange(MemberOf(lane), true, null));
        old?.End($"replaced by a newer start of {lane.Remote.Peer}");
    }
}
