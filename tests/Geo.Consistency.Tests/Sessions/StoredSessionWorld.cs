using Geo.Consistency.Tests.Kit;
using Geo.Testing;

namespace Geo.Consistency.Tests.Sessions;

/// <summary>A persistent grain whose clusters are cut off from each other and from the store, and lose their instances.</summary>
internal sealed class StoredSessionWorld(
    int seed, int maxWaiters = 10_000, int maxInstances = 16, int handInAfter = 2, double loss = 0) : ISessionWorld
{
    private readonly CasWorld _world = new(seed, loss)
    {
        Options = new() { MaxWaiters = maxWaiters, MaxInstances = maxInstances, HandInAfter = handInAfter },
    };

    private readonly Dictionary<string, CasWorld.Instance> _instances = [];

    public SimulationScheduler Scheduler => _world.Scheduler;

    public IReadOnlyList<string> Clusters { get; } = ["a", "b", "c"];

    public async Task StartAsync()
    {
        foreach (var cluster in Clusters)
        {
            _instances[cluster] = _world.Add(cluster);
        }

        await Task.WhenAll(_instances.Values.Select(i => i.Do(view => view.RefreshAsync())));
    }

    public Task<T> CallAsync<T>(string cluster, Func<IVersionedView<Notes, string>, Task<T>> call)
    {
        var instance = _instances[cluster];
        return instance.Lane.RunAsync(() => call(instance.View));
    }

    public Task DisturbAsync(Random random)
    {
        var cluster = Clusters[random.Next(Clusters.Count)];
        switch (random.Next(6))
        {
            case 0:
                _world.Network.Isolate(new(cluster));
                break;
            case 1:
                _world.Store.IsUnreachable = true;
                break;
            case 2:
                _instances[cluster].Lane.Halt();
                _instances[cluster] = _world.Add(cluster);
                break;
            default:
                Heal();
                break;
        }

        return Task.CompletedTask;
    }

    /// <summary>What happens to so many of the store's first 400 operations, whatever they are.</summary>
    internal StoredSessionWorld WithFaults(int count, Random random)
    {
        for (var i = 0; i < count; i++)
        {
            _world.Store.Script[random.Next(400)] = (Fault)random.Next(1, Enum.GetValues<Fault>().Length);
        }

        return this;
    }

    public void Heal()
    {
        _world.Store.IsUnreachable = false;
        _world.Network.Heal();
    }
}
