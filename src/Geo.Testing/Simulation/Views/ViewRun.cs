using Geo.Embedded;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Geo.Testing;

/// <summary>One run of a <see cref="ViewSimulation"/>: its world, its sessions, and what they have seen.</summary>
internal sealed class ViewRun
{
    private const SimulatedFaults Possible = SimulatedFaults.Loss | SimulatedFaults.Cuts | SimulatedFaults.Stores | SimulatedFaults.Crashes
        | SimulatedFaults.Pauses | SimulatedFaults.Clocks;

    private const int Sessions = 4;

    private static readonly string[] Names = ["asia", "eu", "us"];
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(12);

    // In some runs so few may wait that they are in each other's way.
    private readonly int _maxWaiters = 10_000;
    private int _lastUpdate;

    public ViewRun(SimulationWorld world)
    {
        World = world;
        var plan = world.Choices.Tape("plan");
        var clusters = plan.Next(2, 4);
        Faults = plan.Next(8) == 0 ? SimulatedFaults.None : (SimulatedFaults)plan.Next((int)SimulatedFaults.All + 1) & Possible;
        var first = plan.Next(NotesClasses.All.Count);
        Classes = [NotesClasses.All[first], NotesClasses.All[(first + 1 + plan.Next(NotesClasses.All.Count - 1)) % NotesClasses.All.Count]];
        _maxWaiters = plan.Next(4) == 0 ? plan.Next(1, 4) : _maxWaiters;
        foreach (var name in Names[..clusters])
        {
            world.AddCluster(name, Configure);
        }

        Record = new ViewRecord(this);
    }

    public SimulationWorld World { get; }

    public SimulatedFaults Faults { get; }

    /// <summary>The classes whose one grain each is called.</summary>
    public IReadOnlyList<Type> Classes { get; }

    /// <summary>What was called and seen.</summary>
    public ViewRecord Record { get; }

    /// <summary>False where sessions keep no token, to show that it is noticed.</summary>
    public bool KeepsSessions { get; init; } = true;

    /// <summary>
    /// False when what was confirmed of a grain may be gone: its last memory was lost, or that of its only instance may have been.
    /// </summary>
    public bool IsKept(Type grain) => !World.Memories.HasLost(NotesClasses.NameOf(grain))
        && !(grain == typeof(NotesClasses.OneInMemory) && Faults.HasFlag(SimulatedFaults.Crashes));

    public int NextUpdate() => ++_lastUpdate;

    public async Task LiveAsync()
    {
        await World.StartAsync();
        var until = World.Time.Elapsed + Duration;
        var calling = Task.WhenAll(Enumerable.Range(1, Sessions).Select(number => new ViewSession(this, number).RunAsync(until)));
        await World.RandomFaultsAsync(Faults, Duration);
        await World.EndFaultsAsync();
        await calling;
        await World.HealAsync();
        await ViewChecks.RunAsync(this);
    }

    private void Configure(IHostApplicationBuilder host)
    {
        host.Services.AddOptions();
        host.UseGeoEmbedded(geo => geo
            .AddGrain<NotesClasses.Stored>()
            .AddGrain<NotesClasses.Replicated>()
            .AddGrain<NotesClasses.LedByOne>()
            .AddGrain<NotesClasses.One>()
            .AddGrain<NotesClasses.OneOptimistic>()
            .AddGrain<NotesClasses.OneInMemory>()
            .Configure(options =>
            {
                options.RequestTimeout = TimeSpan.FromSeconds(4);
                Impatience.Set(options, _maxWaiters);
            }));
    }
}
