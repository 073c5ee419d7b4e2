using System.Globalization;
using Geo.Consistency;
using Geo.Directory;

namespace Geo.Testing;

/// <summary>Everything that the parts of one simulation share.</summary>
internal sealed class SimulationWorld
{
    private static readonly string[] Names = ["asia", "eu", "us"];

    private readonly List<(GrainKey Key, string Observer, LogPrefix Seen)> _observations = [];
    private int _lastUpdate;

    public SimulationWorld(SimulationSeed seed, MultiClusterSimulationOptions options)
    {
        (Seed, Options) = (seed, options);
        var random = seed.Fork("plan");
        Faults = random.Next(8) == 0 ? SimulatedFaults.None : (SimulatedFaults)random.Next(16) & options.Faults;
        SilosPerCluster = random.Next(3) == 0 ? 2 : 1;
        RowsSurviveCrashes = SilosPerCluster > 1 || random.Next(2) == 0;
        Configuration = new MultiClusterConfiguration(1, [.. Names[..random.Next(2, 4)].Select(name => new ClusterId(name))]);
        Scheduler = new SimulationScheduler(order: random.Next(4) == 0 ? null : seed.Fork("order"));
        Trace = new SimulationTrace(Scheduler, options.KeepTrace);
        Network = new SimulatedNetwork(Scheduler, seed.Fork("network"), trace: Trace);
        Invariants = new SimulationInvariants(this);
        var states = new InMemoryConditionalStore();
        States = options.BreakState?.Invoke(states) ?? states;
        Clusters = [.. Configuration.Clusters.Select(id => new SimulatedCluster(this, id))];
        Scheduler.AfterStep += _ =>
        {
            if (Failure is { } failure)
            {
                throw new SimulationException(failure);
            }
        };
    }

    public SimulationSeed Seed { get; }

    public MultiClusterSimulationOptions Options { get; }

    public SimulatedFaults Faults { get; }

    public int SilosPerCluster { get; }

    /// <summary>True where the directory's rows are stored outside of the silos; several silos of a cluster need that.</summary>
    public bool RowsSurviveCrashes { get; }

    public MultiClusterConfiguration Configuration { get; }

    public SimulationScheduler Scheduler { get; }

    public SimulationTrace Trace { get; }

    public SimulatedNetwork Network { get; }

    public SimulationInvariants Invariants { get; }

    public IConditionalStore States { get; }

    public IReadOnlyList<SimulatedCluster> Clusters { get; }

    public SimulationCounts Counts { get; } = new();

    public History<SimulatedCall, LogPrefix> History { get; } = new();

    /// <summary>What some view showed as a version: each must be a prefix of the final log.</summary>
    public IReadOnlyList<(GrainKey Key, string Observer, LogPrefix Seen)> Observations => _observations;

    public GlobalDirectoryOptions DirectoryOptions { get; } = new()
    {
        RequestTimeout = TimeSpan.FromMilliseconds(400),
        ResendDelay = TimeSpan.FromMilliseconds(100),
        RoundLifetime = TimeSpan.FromSeconds(2),
        AcquireTimeout = TimeSpan.FromSeconds(3),
        ResolveInterval = TimeSpan.FromSeconds(1),
        ScanInterval = TimeSpan.FromSeconds(4),
    };

    public BatchedCasOptions BatchedCasOptions { get; } = new()
    {
        StorageTimeout = TimeSpan.FromSeconds(1),
        RetryMaximum = TimeSpan.FromSeconds(1),
    };

    public string? Failure { get; private set; }

    /// <summary>The grains that clients call. Volatile ones only where no crash may lose their latest version.</summary>
    public IReadOnlyList<GrainKey> Grains() =>
    [
        .. from kind in Faults.HasFlag(SimulatedFaults.Crashes) ? SimulatedGrainKind.Durable : SimulatedGrainKind.All
           from number in Enumerable.Range(1, Options.GrainsPerKind)
           select new GrainKey(kind.Type, number.ToString(CultureInfo.InvariantCulture)),
    ];

    public int NextUpdate() => ++_lastUpdate;

    public void Observe(GrainKey key, string observer, LogPrefix seen) => _observations.Add((key, observer, seen));

    /// <summary>Records the first broken invariant; the run ends with the present step, so that no catch on the way can hide it.</summary>
    public void Fail(string what)
    {
        Failure ??= what;
        Trace.Note($"FAILED {what}");
    }
}
