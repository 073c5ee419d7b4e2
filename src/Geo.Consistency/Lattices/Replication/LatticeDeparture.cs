namespace Geo.Consistency.Lattices;

/// <summary>The orderly end of a replica: what it has made, and may take, is with others before it stops.</summary>
/// <param name="node">The replica.</param>
/// <param name="waits">Waits until others have it.</param>
/// <param name="storage">Waits until the stores have it.</param>
/// <param name="keepers">Those that keep what is here.</param>
/// <param name="run">Runs something under the lock, and does what follows from it.</param>
internal sealed class LatticeDeparture(
    LatticeNode node, LatticeWaits waits, LatticeStorage storage, LatticeKeepers keepers, Action<Action<TimeSpan>> run)
{
    // Of RetryAfter: as long as links that have just come apart have to come back, where nobody has what was made here.
    private const int Grace = 3;

    // Each is tried once: of two that stop, each would lead to the other.
    private readonly HashSet<LatticeAddress> _tried = [];

    /// <inheritdoc cref="LatticeExchange.LeaveAsync"/>
    internal async Task LeaveAsync(CancellationToken cancellationToken)
    {
        var (until, takesPart) = (TimeSpan.Zero, false);
        run(now =>
        {
            takesPart = node.Peers.TakesPart;

            // Who has nothing, or has handed it over, says so, too, when it is to take what another one has.
            node.Leave(now);
            if (!takesPart)
            {
                return;
            }

            TryFindShelter();
            until = now + (Grace * node.Data.Options.RetryAfter);
        });
        for (var isMore = takesPart; isMore;)
        {
            var (told, saved) = (Task.CompletedTask, Task.CompletedTask);
            run(now =>
            {
                var heir = keepers.Heir?.Id;
                if (heir is { } id)
                {
                    node.Rights.Give(id, now);
                }

                node.Flush(now);
                saved = storage.AllSavedAsync(now, cancellationToken);
                told = waits.ToldAsync(heir, keepers, until, cancellationToken);
            });
            await Task.WhenAll(EndAsync(told), EndAsync(saved));

            // Another one may have given its rights before it knew, also where there was nothing here to shelter, or nobody yet to take it;
            // or those that were to keep what is here have stopped, or cannot be reached any more.
            isMore = false;
            run(_ => isMore = (node.Rights.HasAny && keepers.Heir is not null)
                || (!LatticeRules.IsOff(LatticeRule.LateRightsAreSheltered) && TryFindShelter()));
        }

        // Awaited one by one, they end on the caller's scheduler.
        static async Task EndAsync(Task task) => await task;
    }

    private bool TryFindShelter()
    {
        if (keepers.Shelters.Where(shelter => !_tried.Contains(shelter)).Cast<LatticeAddress?>().FirstOrDefault() is not { } shelter)
        {
            return false;
        }

        _tried.Add(shelter);

        // Whom it knows there may be an earlier life, which has stopped since, or crashed.
        node.Peers.Forget(shelter);
        node.Peers.Shelter = shelter;
        return true;
    }
}
