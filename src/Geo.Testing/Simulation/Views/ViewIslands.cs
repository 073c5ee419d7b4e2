using Geo.Consistency;

namespace Geo.Testing;

/// <summary>
/// A network of three clusters that falls apart in one way after another, with no quiet moment between but where nobody could begin a term:
/// whoever leads is overtaken, and comes back when the one that overtook it goes.
/// </summary>
/// <param name="world">The world.</param>
/// <param name="queueAsync">Sends an update through a cluster, without waiting for its confirmation.</param>
internal sealed class ViewIslands(SimulationWorld world, Func<SimulatedCluster, Task> queueAsync)
{
    /// <summary>Leaders give up soon, and others take over soon: within a phase.</summary>
    public static readonly VersionedLeaderOptions Options = new()
    {
        AnswerWait = TimeSpan.FromSeconds(1),
        RetryMaximum = TimeSpan.FromMilliseconds(300),
        TakeOverAfter = TimeSpan.FromMilliseconds(600),
        HandOverWait = TimeSpan.FromSeconds(1),
    };

    private static readonly TimeSpan SlowWay = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(3);

    private readonly ChoiceTape _choices = world.Choices.Tape("islands");

    public async Task RunAsync(TimeSpan until)
    {
        var away = Any();
        while (world.Time.Elapsed < until && _choices.HasMore)
        {
            using (_choices.Span("island"))
            {
                await SettleAsync();
                if (_choices.Next(3) == 2 && Leading() is { } leader && await OvertakeAsync(leader) is { } successor)
                {
                    await SwapAsync(leader, successor);
                    away = successor;
                    continue;
                }

                var next = _choices.Next(2) == 1 ? Leading() ?? Any() : Any();
                var between = world.Clusters.First(c => c != away && c != next);
                var restarts = _choices.Next(3) == 2 ? between[0] : null;
                restarts?.Crash();
                world.Network.Heal();
                Break(next, between);
                if (restarts is { Present: null })
                {
                    await restarts.StartAsync();
                }

                away = next;
                await world.PassAsync(_choices.Between(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(3.5)));
            }
        }
    }

    /// <summary>
    /// Where too few remember for anybody to begin a term, nothing would happen any more: all hear each other until they do.
    /// </summary>
    private async Task SettleAsync()
    {
        if (CountSeated() <= world.Clusters.Count / 2)
        {
            world.Network.Heal();
            var queueing = Task.WhenAll(world.Clusters.Select(queueAsync));
            await PassUntilAsync(() => CountSeated() == world.Clusters.Count);
            await queueing;
        }
    }

    private async Task PassUntilAsync(Func<bool> isEnough)
    {
        for (var left = Patience; left > TimeSpan.Zero && !isEnough(); left -= Glance)
        {
            await world.PassAsync(Glance);
        }
    }

    private int CountSeated() => world.Clusters.Count(c => ReplicaOf(c) is { IsSeated: true });

    private void Break(SimulatedCluster away, SimulatedCluster between)
    {
        world.Counts.Count("networks that fell apart in another way");
        var other = world.Clusters.First(c => c != away && c != between);
        switch (_choices.Next(4))
        {
            case 0:
                world.Clusters.ToList().ForEach(c => world.Network.Isolate(c.Id));
                break;
            case 1:
                Chain(away, between, other);
                break;
            default:
                world.Network.Isolate(away.Id);
                break;
        }
    }

    /// <summary>
    /// A leader is alone or unheard, with updates that it may not confirm, until another one has confirmed its first: what the first one
    /// has is of an earlier term, and perhaps longer.
    /// </summary>
    /// <returns>The cluster that leads now; null where none does in time.</returns>
    private async Task<SimulatedCluster?> OvertakeAsync(SimulatedCluster leader)
    {
        world.Network.Heal();
        if (_choices.Next(2) == 0)
        {
            world.Network.Isolate(leader.Id);
        }
        else
        {
            // It hears all and decides on it, and nobody hears of that.
            world.Clusters.Where(c => c != leader).ToList().ForEach(c => world.Network.Cut(leader.Id, c.Id));
        }

        // Each has something to decide on: who leads next, too.
        var queueing = Task.WhenAll(world.Clusters.Select(queueAsync));
        SimulatedCluster? Successor() => Leading() is { } now && now != leader && HasConfirmed(ReplicaOf(now)!) ? now : null;
        await PassUntilAsync(() => Successor() is not null);
        var successor = Successor();
        await queueing;
        return successor;
    }

    /// <summary>
    /// The one that was overtaken is back, and the one that overtook it is gone, or far from a third that remembers nothing.
    /// </summary>
    private async Task SwapAsync(SimulatedCluster leader, SimulatedCluster successor)
    {
        world.Counts.Count("leaders that were overtaken and came back");
        var third = world.Clusters.First(c => c != leader && c != successor);
        var isBlank = _choices.Next(2) == 1;
        if (isBlank)
        {
            third[0].Crash();
        }

        world.Network.Heal();
        if (isBlank)
        {
            Chain(leader, third, successor);
            await third[0].StartAsync();
        }
        else
        {
            world.Network.Isolate(successor.Id);
        }

        await world.PassAsync(_choices.Between(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(3.5)));
    }

    /// <summary>What the one end promises the other is long on its way, and the leader at this end does not hear of it.</summary>
    private void Chain(SimulatedCluster near, SimulatedCluster between, SimulatedCluster far)
    {
        world.Network.Cut(near.Id, far.Id);
        world.Network.Cut(far.Id, near.Id);
        world.Network.Way(between.Id, far.Id).Takes(SlowWay);
        world.Network.Way(far.Id, between.Id).Takes(SlowWay);
    }

    private SimulatedCluster Any() => world.Clusters[_choices.Next(world.Clusters.Count)];

    /// <summary>True when it has confirmed a version in the term that it leads.</summary>
    private static bool HasConfirmed(LeaderReplica leading) =>
        leading.Shown.At == leading.Led && leading.Shown.Version > leading.Shown.Starts[^1].Version;

    /// <summary>The cluster with the latest term; null where none leads.</summary>
    private SimulatedCluster? Leading() =>
        world.Clusters.Where(c => ReplicaOf(c) is { Leadership: not null }).MaxBy(c => ReplicaOf(c)!.Led);

    private static LeaderReplica? ReplicaOf(SimulatedCluster cluster) => cluster[0].Present?.Memories?.All
        .Where(m => m.Key.ToString() == NotesClasses.NameOf(typeof(NotesClasses.Replicated))).Select(m => m.Replica).FirstOrDefault();
}
