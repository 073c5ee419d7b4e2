namespace Geo.Consistency.Lattices;

/// <summary>Who waits for a replica to have something, or for others to have it. Used under the lock of its exchange.</summary>
/// <param name="node">The replica.</param>
/// <param name="options">How many may wait.</param>
/// <param name="isLoaded">True once all that was stored is read.</param>
/// <param name="isReachable">True while an address can be reached.</param>
internal sealed class LatticeWaits(LatticeNode node, LatticeOptions options, Func<bool> isLoaded, Func<LatticeAddress, bool> isReachable)
{
    private readonly List<(GrainKey Grain, long Number, int Clusters, Completion<bool> Known)> _known = [];
    private readonly List<(VectorClock Wanted, bool IsWhole, Completion<bool> Applied)> _applied = [];
    private readonly List<(long Through, ReplicaId? Heir, LatticeKeepers Keepers, TimeSpan Until, Completion<bool> Told)> _told = [];
    private readonly List<(LatticePullWait Wait, Completion<bool> Pulled)> _pulled = [];

    /// <summary>When to <see cref="Settle(TimeSpan)"/> next, where nothing happens before; null for when something does.</summary>
    internal TimeSpan? DueAt(TimeSpan now)
    {
        TimeSpan? due = null;
        foreach (var until in _pulled.Select(p => p.Wait.Until).Concat(_told.Select(w => w.Until)))
        {
            due = until > now && !(due <= until) ? until : due;
        }

        return due;
    }

    /// <inheritdoc cref="LatticeExchange.KnownInAsync"/>
    internal Task KnownInAsync(LatticeCell cell, int clusters, CancellationToken cancellationToken)
    {
        if (node.Peers.Knowing(cell.Key, cell.Own) >= clusters)
        {
            return Task.CompletedTask;
        }

        _known.RemoveAll(static w => w.Known.Task.IsCompleted);
        CheckRoom(_known.Count, "callers wait for other clusters to know their updates");
        var known = new Completion<bool>(cancellationToken);
        _known.Add((cell.Key, cell.Own, clusters, known));
        return known.Task;
    }

    /// <inheritdoc cref="LatticeExchange.AppliedAsync"/>
    internal Task AppliedAsync(VectorClock wanted, bool isWhole, CancellationToken cancellationToken)
    {
        if (HasAll(wanted, isWhole))
        {
            return Task.CompletedTask;
        }

        _applied.RemoveAll(static w => w.Applied.Task.IsCompleted);
        CheckRoom(_applied.Count, "sessions wait for updates to come");
        var applied = new Completion<bool>(cancellationToken);
        _applied.Add((wanted, isWhole, applied));
        return applied.Task;
    }

    /// <inheritdoc cref="LatticeExchange.PullAsync"/>
    internal Task PullAsync(TimeSpan now, CancellationToken cancellationToken)
    {
        _pulled.RemoveAll(static p => p.Pulled.Task.IsCompleted);
        CheckRoom(_pulled.Count, "callers pull already");
        var pulled = new Completion<bool>(cancellationToken);
        _pulled.Add((node.Pull(now), pulled));
        return pulled.Task;
    }

    /// <summary>
    /// Waits until at each place that can be reached a replica has all that was made here, the heir of its rights too, and one of those
    /// that keep it all that is here.
    /// </summary>
    /// <param name="heir">The heir; null for none.</param>
    /// <param name="keepers">Those that keep what is here.</param>
    /// <param name="until">Until when others are waited for, reached or not, where no replica has it or may have the rights.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal Task ToldAsync(ReplicaId? heir, LatticeKeepers keepers, TimeSpan until, CancellationToken cancellationToken)
    {
        var told = new Completion<bool>(cancellationToken);
        _told.Add((node.Data.Last, heir, keepers, until, told));
        return told.Task;
    }

    /// <summary>Ends the waits that are over.</summary>
    internal void Settle(TimeSpan now)
    {
        _known.RemoveAll(w => Settle(w.Known, node.Peers.Knowing(w.Grain, w.Number) >= w.Clusters));
        _applied.RemoveAll(w => Settle(w.Applied, HasAll(w.Wanted, w.IsWhole)));
        _told.RemoveAll(w => Settle(
            w.Told,
            w.Keepers.HaveAll(HaveHeard(now >= w.Until)) && HaveTold(w.Through, w.Heir, now >= w.Until)
                && (now >= w.Until || IsSafe(w.Keepers))));
        _pulled.RemoveAll(p => Settle(p.Pulled, isLoaded() && p.Wait.IsOver(node.Peers, node.Data.Applied, now)));
    }

    private bool HasAll(VectorClock wanted, bool isWhole) => (isWhole || node.HasJoined) && node.Data.Applied.Covers(wanted);

    private bool HaveTold(long through, ReplicaId? heir, bool isLate) =>
        node.Peers.All.Where(p => isReachable(p.Address)).GroupBy(p => p.Address).All(replicas => replicas.All(p => GivesNoMore(p, isLate))
            && (node.Peers.IsVisitor(replicas.First()) || HaveTold(replicas, through, heir)));

    private bool HaveTold(IGrouping<LatticeAddress, LatticePeer> replicas, long through, ReplicaId? heir) =>
        replicas.Any(p => p.Acknowledged >= through && (node.HasHeardOfLeaving(p) || !node.Rights.HasAny))
        && replicas.All(p => p.Id != heir || p.Acknowledged >= through);

    /// <summary>
    /// True for one that passes no rights on to this replica any more: it has heard that this one stops, and what it gave before is here;
    /// or it does not answer, as one that has begun anew since, of which none is left.
    /// </summary>
    private bool GivesNoMore(LatticePeer peer, bool isLate) => !peer.IsGuest || LatticeRules.IsOff(LatticeRule.GuestsGiveFirst)
        || (node.HasHeardOfLeaving(peer) ? node.Data.Applied[peer.Id] >= peer.Told[peer.Id] : isLate);

    /// <summary>
    /// True once nobody takes this replica for one that keeps anything; one that has no part and does not answer may have begun anew since.
    /// </summary>
    private bool HaveHeard(bool isLate) => node.Peers.All.All(
        p => !isReachable(p.Address) || node.HasHeardOfLeaving(p) || (isLate && node.Peers.IsVisitor(p)));

    /// <summary>True where there is one that keeps what is here, and one that gets its rights; another one may just have begun.</summary>
    private bool IsSafe(LatticeKeepers keepers) => node.Peers.IsAlone
        || ((node.Data.Cells.Count == 0 || keepers.AreThere) && (!node.Rights.HasAny || keepers.Heir is not null));

    private void CheckRoom(int count, string who)
    {
        if (count >= options.MaxWaiters)
        {
            ConsistencyMetrics.WaitsRefused.Add(1);
            throw new GeoUnavailableException($"{options.MaxWaiters} {who}, as many as MaxWaiters allows.");
        }
    }

    private static bool Settle(Completion<bool> wait, bool isOver)
    {
        if (isOver)
        {
            wait.TrySetResult(true);
        }

        return isOver || wait.Task.IsCompleted;
    }
}
