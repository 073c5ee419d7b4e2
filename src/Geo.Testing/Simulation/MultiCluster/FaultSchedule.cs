namespace Geo.Testing;

/// <summary>Switches faults on and off while a simulation runs, as its seed says.</summary>
internal sealed class FaultSchedule(SimulationWorld world)
{
    private readonly Random _random = world.Seed.Fork("faults");

    /// <summary>Sets the faults that last the whole run.</summary>
    public void Begin()
    {
        if (world.Faults.HasFlag(SimulatedFaults.Loss))
        {
            world.Network.Options.Loss = 0.15 * _random.NextDouble();
            world.Network.Options.Duplication = 0.2 * _random.NextDouble();
        }

        if (world.Faults.HasFlag(SimulatedFaults.Stores))
        {
            foreach (var store in Stores())
            {
                store.Options.LostRequests = 0.08 * _random.NextDouble();
                store.Options.LostReplies = 0.08 * _random.NextDouble();
                store.Options.Late = 0.08 * _random.NextDouble();
            }
        }
    }

    /// <summary>Lets something happen every now and then.</summary>
    public async Task RunAsync(TimeSpan until)
    {
        while (world.Scheduler.Time.Elapsed < until)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(_random.Next(100, 1500)), world.Scheduler.Time);
            Happen();
        }
    }

    /// <summary>Ends all faults and starts what is down.</summary>
    public void End()
    {
        world.Network.Options.Loss = 0;
        world.Network.Options.Duplication = 0;
        world.Network.Heal();
        foreach (var store in Stores())
        {
            (store.Options.LostRequests, store.Options.LostReplies, store.Options.Late) = (0, 0, 0);
            store.Options.Unreachable = false;
        }

        foreach (var cluster in world.Clusters.Where(c => c.Silo.Lane.IsHalted))
        {
            cluster.Start();
        }
    }

    private IEnumerable<SimulatedStore> Stores() =>
        world.Clusters.SelectMany(c => c.RemoteRows is { } rows ? new[] { c.State, rows } : [c.State]);

    private void Happen()
    {
        var cluster = world.Clusters[_random.Next(world.Clusters.Count)];
        var other = world.Clusters[_random.Next(world.Clusters.Count)];
        switch (_random.Next(6))
        {
            case 0 when world.Faults.HasFlag(SimulatedFaults.Cuts) && other != cluster:
                world.Network.Cut(cluster.Id, other.Id);
                break;
            case 1 when world.Faults.HasFlag(SimulatedFaults.Cuts):
                world.Network.Isolate(cluster.Id);
                break;
            case 2 or 3 when world.Faults.HasFlag(SimulatedFaults.Cuts):
                world.Network.Heal();
                break;
            case 4 when world.Faults.HasFlag(SimulatedFaults.Stores):
                var stores = Stores().ToArray();
                var store = stores[_random.Next(stores.Length)];
                store.Options.Unreachable = !store.Options.Unreachable;
                world.Trace.Note($"{cluster.Id} stores {(store.Options.Unreachable ? "unreachable" : "reachable")}");
                break;
            case 5 when world.Faults.HasFlag(SimulatedFaults.Crashes):
                if (cluster.Silo.Lane.IsHalted)
                {
                    cluster.Start();
                }
                else
                {
                    cluster.Crash();
                }

                break;
        }
    }
}
