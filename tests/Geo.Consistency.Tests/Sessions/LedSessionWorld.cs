using Geo.Consistency.Tests.Kit;
using Geo.Testing;

namespace Geo.Consistency.Tests.Sessions;

/// <summary>A volatile grain whose clusters are cut off and lose their memory, fewer than a majority at a time.</summary>
internal sealed class LedSessionWorld(int seed, UpdateConfirmation confirmation, int maxWaiters = 10_000, int maxInstances = 64)
    : ISessionWorld
{
    private readonly LeaderWorld _world = new(seed, "a", ["a", "b", "c"])
    {
        Confirmation = confirmation,
        Options = new() { MaxWaiters = maxWaiters, MaxInstances = maxInstances },
    };

    public SimulationScheduler Scheduler => _world.Scheduler;

    public IReadOnlyList<string> Clusters { get; } = ["a", "b", "c"];

    public async Task StartAsync()
    {
        foreach (var cluster in Clusters)
        {
            _world.Add(cluster);
        }

        await Task.WhenAll(Clusters.Select(c => _world[c].Do(view => view.RefreshAsync())));
        await _world.Delay(1_000);
    }

    public Task<T> CallAsync<T>(string cluster, Func<IVersionedView<Notes, string>, Task<T>> call)
    {
        var instance = _world[cluster];
        return instance.Lane.RunAsync(() => call(instance.View));
    }

    public async Task DisturbAsync(Random random)
    {
        var cluster = Clusters[random.Next(Clusters.Count)];
        switch (random.Next(6))
        {
            case 0:
                _world.Network.Isolate(new(cluster));
                break;
            case 1:
                _world.Cut(cluster, Clusters[random.Next(Clusters.Count)]);
                break;
            case 2:
                await _world.DeactivateAsync(cluster);
                _world.Activate(cluster);
                break;
            case 3 when confirmation == UpdateConfirmation.Replicated && Clusters.All(c => _world.Memory(c)?.IsSeated == true):
                _world.Crash(cluster);
                _world.Add(cluster);
                break;
            default:
                _world.Network.Heal();
                break;
        }
    }

    public void Heal() => _world.Network.Heal();
}
