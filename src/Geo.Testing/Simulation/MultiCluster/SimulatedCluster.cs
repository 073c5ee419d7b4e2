namespace Geo.Testing;

/// <summary>A cluster: its stores, and the present incarnation of its silo.</summary>
internal sealed class SimulatedCluster
{
    private readonly SimulationWorld _world;
    private readonly SimulatedStoreOptions _rowFaults = new();
    private WatchedStore _rows = null!;
    private int _incarnations;

    public SimulatedCluster(SimulationWorld world, ClusterId id)
    {
        (_world, Id) = (world, id);
        State = new SimulatedStore(
            world.States, world.Scheduler, world.Seed.Fork($"state {id}"), $"{id}.state", trace: world.Trace);
        Start();
    }

    public ClusterId Id { get; }

    /// <summary>The present incarnation; halted while the silo is down.</summary>
    public SimulatedSilo Silo { get; private set; } = null!;

    /// <summary>The way to the store of the grains' states, which all clusters share.</summary>
    public SimulatedStore State { get; }

    /// <summary>The way to the directory's rows, where they are kept outside of the silo; null where its memory holds them.</summary>
    public SimulatedStore? RemoteRows { get; private set; }

    /// <summary>The rows as they are, to be read by the invariants.</summary>
    public IConditionalStore Rows => _rows;

    /// <summary>Starts the silo's next incarnation.</summary>
    public void Start()
    {
        var lane = _world.Scheduler.CreateLane($"{Id}/{++_incarnations}");
        if (_rows is null || !_world.RowsSurviveCrashes)
        {
            var memory = new InMemoryConditionalStore();
            _rows = new WatchedStore(
                _world.Options.BreakRows?.Invoke(memory) ?? memory, key => _world.Invariants.RowChanged(this, key));
        }

        if (_world.RowsSurviveCrashes)
        {
            RemoteRows ??= new SimulatedStore(
                _rows, _world.Scheduler, _world.Seed.Fork($"rows {Id}"), $"{Id}.rows", _rowFaults, _world.Trace);
        }

        IClusterMessenger messenger = _world.Network.Join(Id, lane);
        Silo = new SimulatedSilo(
            _world, this, lane, _world.Options.BreakMessenger?.Invoke(messenger) ?? messenger, (IConditionalStore?)RemoteRows ?? _rows);
        Silo.Start();
    }

    /// <summary>Stops the silo in order.</summary>
    public async Task StopAsync()
    {
        var stopping = Silo;
        _world.Trace.Note($"{stopping.Node} stops");
        await stopping.Lane.RunAsync(async () => await stopping.DisposeAsync());
        stopping.Lane.Halt();
    }

    /// <summary>The silo crashes: its instances are gone, and its rows too where its memory held them.</summary>
    public void Crash()
    {
        _world.Trace.Note($"{Silo.Node} crashes");
        _world.Counts.Crashes++;
        Silo.Lane.Halt();
        if (!_world.RowsSurviveCrashes)
        {
            _rows = new WatchedStore(new InMemoryConditionalStore(), _ => { });
        }
    }
}
