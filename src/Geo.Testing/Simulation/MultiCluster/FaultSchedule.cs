namespace Geo.Testing;

/// <summary>Switches faults on and off while a simulation runs, as its seed says.</summary>
internal sealed class FaultSchedule(SimulationWorld world)
{
    // A host kills a silo that takes longer than this to stop.
    private static readonly TimeSpan MaxStopTime = TimeSpan.FromSeconds(3);

    private readonly Random _random = world.Seed.Fork("faults");

    /// <summary>Sets the faults that last the whole run.</summary>
    public void Begin()
    {
        if (world.Faults.HasFlag(SimulatedFaults.Loss))
        {
            world.Network.Options.Loss = UpTo(0.35);
            world.Network.Options.Duplication = UpTo(0.5);
        }

        if (world.Faults.HasFlag(SimulatedFaults.Stores))
        {
            foreach (var store in Stores())
            {
                store.Options.LostRequests = UpTo(0.25);
                store.Options.LostReplies = UpTo(0.25);
                store.Options.Late = UpTo(0.25);
            }
        }
    }

    /// <summary>Lets something happen every now and then.</summary>
    public async Task RunAsync(TimeSpan until)
    {
        while (world.Scheduler.Time.Elapsed < until)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(_random.Next(100, 1500)), world.Scheduler.Time);
            await HappenAsync();
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

        foreach (var cluster in world.Clusters)
        {
            cluster.StartAll();
        }
    }

    private IEnumerable<SimulatedStore> Stores() =>
        world.Clusters.SelectMany(c => c.RemoteRows is { } rows ? new[] { c.State, rows } : [c.State]);

    /// <summary>Mostly little, sometimes much.</summary>
    private double UpTo(double most) => most * Math.Pow(_random.NextDouble(), 2);

    private async Task HappenAsync()
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
                await StopOrStartAsync(cluster, _random.Next(cluster.Silos.Count));
                break;
        }
    }

    private async Task StopOrStartAsync(SimulatedCluster cluster, int slot)
    {
        if (cluster.Silos[slot].Lane.IsHalted)
        {
            cluster.Start(slot);
        }
        else if (_random.Next(4) == 0)
        {
            await Task.WhenAny(cluster.StopAsync(slot), Task.Delay(MaxStopTime, world.Scheduler.Time));
            cluster.Crash(slot);
        }
        else
        {
            cluster.Crash(slot);
        }
    }
}
