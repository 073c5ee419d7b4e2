using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing;

/// <summary>One run of a <see cref="ViewSimulation"/>: its world, its sessions, and what they have seen.</summary>
internal sealed class ViewRun
{
    // What ends an activation, and with it all that an instance in memory alone had.
    private const SimulatedFaults Ending = SimulatedFaults.Crashes | SimulatedFaults.Settings | SimulatedFaults.Backups;

    private const int Sessions = 4;

    private static readonly string[] Names = ["asia", "eu", "us"];
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(10);

    // Longer than anything that was on its way to a store before all silos ended.
    private static readonly TimeSpan LastWrites = TimeSpan.FromSeconds(5);

    private readonly ViewStory _story;
    private readonly bool _isIdleSoon;
    private readonly ViewRollOut? _rollOut;
    private Dictionary<SimulatedCluster, ViewSession> _queuing = [];
    private readonly List<ViewSession> _sessions = [];
    private readonly HashSet<long> _flawed = [];
    private readonly HashSet<long> _conditional = [];
    private int _lastUpdate;

    public ViewRun(SimulationWorld world)
    {
        World = world;
        var plan = world.Choices.Tape("plan");
        var clusters = plan.Next(2, 4);
        var silos = plan.Next(5) == 4 ? 2 : 1;
        var keepsRows = plan.Next(2) == 1;
        var faults = (SimulatedFaults)plan.Next((int)SimulatedFaults.All + 1);
        (_story, Faults) = plan.Next(10) switch
        {
            0 => (ViewStory.Faults, SimulatedFaults.None),
            1 => (ViewStory.Restarts, SimulatedFaults.None),
            2 => (ViewStory.SetBack, faults),
            _ => (ViewStory.Faults, faults),
        };
        // By a tape of its own: the other seeds stay what they were.
        var isIslands = world.Choices.Tape("story").Next(8) == 7;
        (_story, Faults) = isIslands ? (ViewStory.Islands, SimulatedFaults.None) : (_story, Faults);
        (clusters, silos) = isIslands ? (Names.Length, 1) : (clusters, silos);
        var first = plan.Next(NotesClasses.All.Count);
        Classes = [NotesClasses.All[first], NotesClasses.All[(first + 1 + plan.Next(NotesClasses.All.Count - 1)) % NotesClasses.All.Count]];
        Classes = isIslands && !Classes.Contains(typeof(NotesClasses.Replicated))
            ? [typeof(NotesClasses.Replicated), Classes[1]] : Classes;
        HasFlaws = plan.Next(3) == 2;
        _isIdleSoon = plan.Next(4) == 3;
        if (!isIslands && world.Choices.Tape("lists").Next(10) == 9)
        {
            (_story, Faults) = (ViewStory.RollOut, faults & ViewRollOut.Beside);
            (clusters, silos) = (Names.Length, 1);
            Classes = [NotesClasses.InAllClusters[first % 3], NotesClasses.InAllClusters[((first % 3) + 1 + plan.Next(3)) % 4]];
        }

        foreach (var name in Names[..clusters])
        {
            var isTight = plan.Next(3) == 2 && _story is not (ViewStory.Islands or ViewStory.RollOut);
            var limits = isTight ? ViewLimits.Tight(plan) : ViewLimits.Wide;
            world.AddCluster(name, host => Configure(host, name, limits), silos, keepsRows).SiloOptions = Impatience.Silos;
        }

        _rollOut = _story == ViewStory.RollOut
            ? new ViewRollOut(world, Faults, Classes, (type, through) => _queuing[through].QueueAsync(type, through)) : null;
        Record = new ViewRecord(this, updatesBefore: 0);
    }

    public SimulationWorld World { get; }

    public SimulatedFaults Faults { get; }

    /// <summary>The classes whose one grain each is called.</summary>
    public IReadOnlyList<Type> Classes { get; }

    /// <summary>True where some updates, or the states that they make, cannot be written.</summary>
    public bool HasFlaws { get; }

    /// <summary>What was called and seen, since the store was set back where it was.</summary>
    public ViewRecord Record { get; private set; }

    /// <summary>False where sessions keep no token, to show that it is noticed.</summary>
    public bool KeepsSessions { get; init; } = true;

    /// <summary>False where bounded reads of volatile grains ask for no bound, to show that it is noticed.</summary>
    public bool KeepsBounds { get; init; } = true;

    /// <summary>
    /// False when what was confirmed of a grain may be gone: its last memory was lost, or that of its only instance may have been.
    /// </summary>
    public bool IsKept(Type grain) => grain == typeof(NotesClasses.OneInMemory)
        ? _story == ViewStory.Faults && !_isIdleSoon && World.Clusters.All(c => c.Silos.Count == 1) && (Faults & Ending) == 0
        : _story == ViewStory.Restarts || !World.Memories.HasLost(NotesClasses.NameOf(grain));

    /// <summary>The number of an update that is about to be made.</summary>
    public int NextUpdate(NoteFlaw flaw, bool isConditional)
    {
        _lastUpdate++;
        if (flaw != NoteFlaw.None)
        {
            _flawed.Add(_lastUpdate);
        }

        if (isConditional)
        {
            _conditional.Add(_lastUpdate);
        }

        return _lastUpdate;
    }

    /// <summary>True of an update that cannot be written, or whose state cannot: alone, that is; with others it may be.</summary>
    public bool IsFlawed(long update) => _flawed.Contains(update);

    /// <summary>True of one that cannot be written, and of one on a condition.</summary>
    public bool MayBeRefused(long update) => IsFlawed(update) || _conditional.Contains(update);

    public async Task LiveAsync()
    {
        RandomFaults.SetUp(World, Faults);
        await (_rollOut?.StartAsync() ?? World.StartAsync());
        var until = World.Time.Elapsed + (_story is ViewStory.SetBack or ViewStory.RollOut ? 2 * Duration : Duration);
        _sessions.AddRange(Enumerable.Range(1, Sessions).Select(number => new ViewSession(this, number)));
        var calling = Task.WhenAll(_sessions.Select(s => s.RunAsync(until)));
        if (_story == ViewStory.Restarts)
        {
            await RestartAsync(until);
        }
        else if (_story == ViewStory.Islands)
        {
            BeginToQueue();
            await new ViewIslands(World, through => _queuing[through].QueueAsync(typeof(NotesClasses.Replicated), through)).RunAsync(until);
        }
        else if (_rollOut is not null)
        {
            BeginToQueue();
            await _rollOut.RunAsync(until);
        }
        else
        {
            var faults = new RandomFaults(World, Faults);
            if (_story == ViewStory.SetBack)
            {
                await SetBackAsync(faults);
            }

            faults.Begin();
            await faults.RunAsync(until);
            faults.End();
        }

        await World.EndFaultsAsync();
        await calling;
        await World.HealAsync();
        await ViewChecks.RunAsync(this);
    }

    private void BeginToQueue() =>
        _queuing = World.Clusters.Select((c, i) => (c, new ViewSession(this, Sessions + 1 + i))).ToDictionary();

    /// <summary>A roll-out: each silo is stopped and started, and its neighbours have some seconds before the next.</summary>
    private async Task RestartAsync(TimeSpan until)
    {
        var choices = World.Choices.Tape("restarts");
        var silos = World.Clusters.SelectMany(c => c.Silos).ToArray();
        for (var next = choices.Next(silos.Length); World.Time.Elapsed < until && choices.HasMore; next++)
        {
            await World.PassAsync(choices.Between(TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(4)));
            var silo = silos[next % silos.Length];
            await silo.StopAsync();
            await World.PassAsync(choices.Between(TimeSpan.Zero, TimeSpan.FromSeconds(1)));
            await silo.StartAsync();
            World.Counts.Count("silos restarted in good order");
        }
    }

    private async Task SetBackAsync(RandomFaults faults)
    {
        var choices = World.Choices.Tape("set back");
        faults.Begin();
        var backedUpAt = World.Time.Elapsed + choices.Between(TimeSpan.Zero, Duration / 2);
        await faults.RunAsync(backedUpAt);
        var store = World.Store(GeoStorage.Default);
        var backup = await store.BackUpAsync();
        await faults.RunAsync(backedUpAt + choices.Between(TimeSpan.FromSeconds(1), Duration / 2));
        await World.EndFaultsAsync();
        World.Clusters.ToList().ForEach(c => c.Crash());
        await World.PassAsync(LastWrites);
        await store.RestoreAsync(backup);
        World.Trace.Note("the store goes back");
        World.Counts.Count("stores of versions set back");
        World.Memories.BeginAnew();
        Record = new ViewRecord(this, _lastUpdate);
        _sessions.ForEach(s => s.Restart());
        await World.EndFaultsAsync();
    }

    private void Configure(IHostApplicationBuilder host, string cluster, ViewLimits limits)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => (_rollOut is null ? geo : geo.AddGrain<NotesClasses.ByDefault>())
            .AddGrain<NotesClasses.Stored>()
            .AddGrain<NotesClasses.Replicated>()
            .AddGrain<NotesClasses.LedByOne>()
            .AddGrain<NotesClasses.One>()
            .AddGrain<NotesClasses.OneOptimistic>()
            .AddGrain<NotesClasses.OneInMemory>()
            .Configure(options =>
            {
                options.RequestTimeout = TimeSpan.FromSeconds(4);
                Impatience.Set(options, limits);
                options.VersionedLeader = _story == ViewStory.Islands ? ViewIslands.Options
                    : _rollOut?.OptionsOf(cluster) ?? options.VersionedLeader;
                options.IdleDeactivation = _isIdleSoon ? TimeSpan.FromSeconds(1) : options.IdleDeactivation;
            }));
    }
}
