namespace Geo.Testing;

/// <summary>Switches faults on and off while a standard simulation runs, as its choices say.</summary>
internal sealed class StandardFaults(StandardRun run, IReadOnlyList<StandardClient> clients)
{
    private readonly SimulationWorld _world = run.World;
    private readonly ChoiceTape _choices = run.World.Choices.Tape("faults");

    /// <summary>Sets the wall clocks wrong, before anything starts: each of them stays as wrong as it is.</summary>
    public static void SetClocks(StandardRun run)
    {
        var choices = run.World.Choices.Tape("clocks");
        if (run.Faults.HasFlag(SimulatedFaults.Pauses))
        {
            foreach (var silo in run.World.Clusters.SelectMany(c => c.Silos))
            {
                silo.Clock.Skew = TimeSpan.FromSeconds(choices.Next(1201) is var skew && skew % 2 == 0 ? skew / 2 : -skew / 2);
            }
        }
    }

    /// <summary>Sets the faults that last the whole run.</summary>
    public void Begin()
    {
        if (run.Faults.HasFlag(SimulatedFaults.Loss))
        {
            _world.Network.Options.Loss = UpTo(0.35);
            _world.Network.Options.Duplication = UpTo(0.5);
            _world.Network.Options.NoticeLoss = UpTo(1);
            var slow = _world.Network.Way(AnyCluster().Id, AnyCluster().Id);
            (slow.MinDelay, slow.MaxDelay) = (TimeSpan.FromMilliseconds(50), TimeSpan.FromMilliseconds(50 + (50 * _choices.Next(12))));
        }

        if (run.Faults.HasFlag(SimulatedFaults.Stores))
        {
            foreach (var store in Stores())
            {
                store.Options.LostRequests = UpTo(0.25);
                store.Options.LostReplies = UpTo(0.25);
                store.Options.Late = UpTo(0.25);
            }
        }

        if (run.Faults.HasFlag(SimulatedFaults.Hangs))
        {
            foreach (var store in Stores())
            {
                store.Options.IgnoresTokens = _choices.Next(2) == 1;
            }
        }
    }

    /// <summary>Lets something happen every now and then.</summary>
    public async Task RunAsync(TimeSpan until)
    {
        while (_world.Time.Elapsed < until && _choices.HasMore)
        {
            using (_choices.Span("fault"))
            {
                await Task.Delay(_choices.Between(TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(1500)), _world.Time);
                await HappenAsync();
            }
        }
    }

    private IEnumerable<SimulatedStore> Stores() =>
        _world.Clusters.SelectMany(c => c.RemoteRows is { } rows ? new[] { _world.Store("Default").From(c.Id), rows } : [_world.Store("Default").From(c.Id)]);

    /// <summary>Mostly little, sometimes much.</summary>
    private double UpTo(double most) => most * Math.Pow(_choices.Next(1001) / 1000.0, 2);

    private SimulatedCluster AnyCluster() => _world.Clusters[_choices.Next(_world.Clusters.Count)];

    private async Task HappenAsync()
    {
        var (cluster, other) = (AnyCluster(), AnyCluster());
        switch (_choices.Next(12))
        {
            case 1 when run.Faults.HasFlag(SimulatedFaults.Cuts) && other != cluster:
                _world.Network.Cut(cluster.Id, other.Id);
                break;
            case 2 when run.Faults.HasFlag(SimulatedFaults.Cuts):
                _world.Network.Isolate(cluster.Id);
                break;
            case 3 or 4 when run.Faults.HasFlag(SimulatedFaults.Cuts):
                _world.Network.Heal();
                break;
            case 5 when run.Faults.HasFlag(SimulatedFaults.Stores):
                var store = AnyStore();
                store.Options.Unreachable = !store.Options.Unreachable;
                _world.Trace.Note($"{store.Name} {(store.Options.Unreachable ? "unreachable" : "reachable")}");
                break;
            case 6 or 7 when run.Faults.HasFlag(SimulatedFaults.Crashes):
                await StopOrStartAsync(cluster.Silos[_choices.Next(cluster.Silos.Count)]);
                break;
            case 8 when run.Faults.HasFlag(SimulatedFaults.Cuts):
                clients[_choices.Next(clients.Count)].BreakLink();
                break;
            case 9 when run.Faults.HasFlag(SimulatedFaults.Cuts) && other != cluster:
                HoldOrRelease(cluster.Id, other.Id);
                break;
            case 10 when run.Faults.HasFlag(SimulatedFaults.Pauses):
                FreezeOrThaw(cluster.Silos[_choices.Next(cluster.Silos.Count)]);
                break;
            case 11 when run.Faults.HasFlag(SimulatedFaults.Hangs):
                HangOrGoOn();
                break;
        }
    }

    private SimulatedStore AnyStore()
    {
        var stores = Stores().ToArray();
        return stores[_choices.Next(stores.Length)];
    }

    private void HoldOrRelease(ClusterId from, ClusterId to)
    {
        if (_world.Network.Way(from, to).IsHeld)
        {
            _world.Network.Release(from, to);
        }
        else
        {
            _world.Network.Hold(from, to);
        }
    }

    private void FreezeOrThaw(SimulatedSilo silo)
    {
        if (silo.IsFrozen)
        {
            silo.Thaw();
        }
        else
        {
            silo.Freeze(stopClock: _choices.Next(2) == 1);
        }
    }

    private void HangOrGoOn()
    {
        var store = AnyStore();
        _world.Trace.Note($"{store.Name} {(store.Options.Hangs ? "goes on" : "hangs")}");
        if (store.Options.Hangs)
        {
            store.EndHanging();
        }
        else
        {
            store.Options.Hangs = true;
        }
    }

    /// <summary>A silo that shares its cluster needs its lease to start; its host gives up when the store does not answer, and is tried again.</summary>
    private async Task TryStartAsync(SimulatedSilo silo)
    {
        try
        {
            await silo.StartAsync();
        }
        catch (GeoUnavailableException e)
        {
            _world.Trace.Note($"{silo} does not start: {e.Message}");
        }
    }

    private async Task StopOrStartAsync(SimulatedSilo silo)
    {
        if (!silo.IsUp)
        {
            await TryStartAsync(silo);
        }
        else if (_choices.Next(4) == 1)
        {
            await silo.StopAsync();
        }
        else if (_choices.Next(2) == 1)
        {
            silo.CrashAfter(_choices.Next(12));
        }
        else
        {
            silo.Crash();
        }
    }
}
