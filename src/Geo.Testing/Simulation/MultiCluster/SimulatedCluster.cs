namespace Geo.Testing;

/// <summary>A cluster: its stores, and the present incarnation of each of its silos.</summary>
internal sealed class SimulatedCluster
{
    private readonly SimulationWorld _world;
    private readonly SimulatedSilo[] _silos;
    private WatchedStore _rows = null!;
    private int _incarnations;

    public SimulatedCluster(SimulationWorld world, ClusterId id)
    {
        (_world, Id) = (world, id);
        State = new SimulatedStore(
            world.States, world.Scheduler, world.Seed.Fork($"state {id}"), $"{id}.state", trace: world.Trace);
        ForgetRows();
        if (world.RowsSurviveCrashes)
        {
            RemoteRows = new SimulatedStore(_rows, world.Scheduler, world.Seed.Fork($"rows {id}"), $"{id}.rows", trace: world.Trace);
        }

        _silos = new SimulatedSilo[world.SilosPerCluster];
        StartAll();
    }

    public ClusterId Id { get; }

    /// <summary>The present incarnations; a silo that is down is a halted one.</summary>
    public IReadOnlyList<SimulatedSilo> Silos => _silos;

    /// <summary>The silo that holds the cluster's instance of multi-instance grains.</summary>
    public SimulatedSilo First => _silos[0];

    /// <summary>The way to the store of the grains' states, which all clusters share.</summary>
    public SimulatedStore State { get; }

    /// <summary>The way to the directory's rows, where they are kept outside of the silo; null where its memory holds them.</summary>
    public SimulatedStore? RemoteRows { get; }

    /// <summary>The rows as they are, to be read by the invariants.</summary>
    public IConditionalStore Rows => _rows;

    /// <summary>The silo of that name, unless it is down.</summary>
    public SimulatedSilo? Find(string node) => Array.Find(_silos, silo => silo is { Lane.IsHalted: false } && silo.Node == node);

    /// <summary>Starts the next incarnation of every silo that is down.</summary>
    public void StartAll()
    {
        for (var slot = 0; slot < _silos.Length; slot++)
        {
            if (_silos[slot] is null or { Lane.IsHalted: true })
            {
                Start(slot);
            }
        }
    }

    /// <summary>Starts the next incarnation of a silo.</summary>
    public void Start(int slot)
    {
        var lane = _world.Scheduler.CreateLane($"{Id}/{slot}.{++_incarnations}");
        IClusterMessenger messenger = _world.Network.Join(Id, lane);
        _silos[slot] = new SimulatedSilo(
            _world, this, lane, _world.Options.BreakMessenger?.Invoke(messenger) ?? messenger, (IConditionalStore?)RemoteRows ?? _rows);
        _silos[slot].Start(holdsMultiInstanceGrains: slot == 0);
    }

    /// <summary>A silo stops in order.</summary>
    public async Task StopAsync(int slot)
    {
        var stopping = _silos[slot];
        _world.Trace.Note($"{stopping.Node} stops");
        _world.Counts.Stops++;
        await stopping.Lane.RunAsync(async () => await stopping.DisposeAsync());
        Halt(stopping);
    }

    /// <summary>A silo crashes: its instances are gone, and the cluster's rows too where its memory held them.</summary>
    public void Crash(int slot)
    {
        if (!_silos[slot].Lane.IsHalted)
        {
            _world.Trace.Note($"{_silos[slot].Node} crashes");
            _world.Counts.Crashes++;
            Halt(_silos[slot]);
        }
    }

    private void Halt(SimulatedSilo silo)
    {
        if (!silo.Lane.IsHalted)
        {
            silo.Halt();
            if (!_world.RowsSurviveCrashes)
            {
                ForgetRows();
            }
        }
    }

    private void ForgetRows()
    {
        var memory = new InMemoryConditionalStore();
        _rows = new WatchedStore(_world.Options.BreakRows?.Invoke(memory) ?? memory, key => _world.Invariants.RowChanged(this, key));
    }
}
