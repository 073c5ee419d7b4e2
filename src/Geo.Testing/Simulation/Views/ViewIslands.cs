using Geo.Consistency;

namespace Geo.Testing;

/// <summary>
/// A network of three clusters that falls apart in one way after another, without a quiet moment between: whoever leads is overtaken, and
/// comes back when the one that overtook it goes.
/// </summary>
internal sealed class ViewIslands(SimulationWorld world)
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

    private readonly ChoiceTape _choices = world.Choices.Tape("islands");

    public async Task RunAsync(TimeSpan until)
    {
        var away = Any();
        while (world.Time.Elapsed < until && _choices.HasMore)
        {
            using (_choices.Span("island"))
            {
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
                // A chain: what the one end promises the other is long on its way, and the leader at this end does not hear of it.
                world.Network.Cut(away.Id, other.Id);
                world.Network.Cut(other.Id, away.Id);
                world.Network.Way(between.Id, other.Id).Takes(SlowWay);
                world.Network.Way(other.Id, between.Id).Takes(SlowWay);
                break;
            default:
                world.Network.Isolate(away.Id);
                break;
        }
    }

    private SimulatedCluster Any() => world.Clusters[_choices.Next(world.Clusters.Count)];

    private SimulatedCluster? Leading() => world.Clusters.FirstOrDefault(
        c => c[0].Present?.Memories is { } memories && memories.All.Any(m => m.Replica.Leadership is not null));
}
