namespace Geo.Consistency.Lattices;

/// <summary>The orderly end of a replica: what it has made, and may take, is with others before it stops.</summary>
/// <param name="node">The replica.</param>
/// <param name="waits">Waits until others have it.</param>
/// <param name="storage">Waits until the stores have it.</param>
/// <param name="isReachable">True while another replica can be reached.</param>
/// <param name="siblings">The other silos of the cluster; null where there is none.</param>
/// <param name="run">Runs something under the lock, and does what follows from it.</param>
internal sealed class LatticeDeparture(
    LatticeNode node, LatticeWaits waits, LatticeStorage storage, Func<LatticePeer, bool> isReachable, LatticeSiblings? siblings,
    Action<Action<TimeSpan>> run)
{
    // Of RetryAfter: as long as links that have just come apart have to come back, where nobody has what was made here.
    private const int Grace = 3;

    /// <inheritdoc cref="LatticeExchange.LeaveAsync"/>
    internal async Task LeaveAsync(CancellationToken cancellationToken)
    {
        var until = TimeSpan.Zero;
        run(now =>
        {
            node.Leave(now);
            until = now + (Grace * node.Data.Options.RetryAfter);
        });
        for (var isMore = true; isMore;)
        {
            var (told, saved) = (Task.CompletedTask, Task.CompletedTask);
            run(now =>
            {
                var heir = Heir()?.Id;
                if (heir is { } id)
                {
                    node.Rights.Give(id, now);
                }

                node.Flush(now);
                saved = storage.AllSavedAsync(now, cancellationToken);
                told = waits.ToldAsync(heir, () => Heir() is not null, until, cancellationToken);
            });
            await Task.WhenAll(EndAsync(told), EndAsync(saved));

            // Another one that stops may have given its rights before it knew, or there was nobody yet to give them to.
            isMore = false;
            run(_ => isMore = node.Rights.HasAny && Heir() is not null);
        }

        // Awaited one by one, they end on the caller's scheduler.
        static async Task EndAsync(Task task) => await task;
    }

    /// <summary>
    /// Who gets what this replica may take: another silo of the cluster, or one of a cluster with a link, that lives and does not stop,
    /// too; null for nobody.
    /// </summary>
    private LatticePeer? Heir() => node.Peers.All
        .Where(p => isReachable(p) && node.HasHeardOfLeaving(p) && !node.Peers.IsVisitor(p))
        .Where(p => !p.IsLeaving && siblings?.IsLeaving(p.Address) != true)
        .MinBy(p => (p.Address.Silo is null, p.Id));
}
