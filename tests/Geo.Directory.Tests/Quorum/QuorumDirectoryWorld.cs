using Geo.Testing;

namespace Geo.Directory.Tests.Quorum;

/// <summary>
/// Clusters whose silos own grains by one store, in virtual time. After each step at most one silo may serve a grain, and a tenancy that
/// begins has a higher epoch than all before it.
/// </summary>
internal sealed class QuorumDirectoryWorld
{
    private readonly List<QuorumSilo> _silos = [];
    private readonly Dictionary<GrainKey, long> _epochs = [];
    private int _starts;

    public QuorumDirectoryWorld(int seed = 1, bool isOrdered = true)
    {
        Choices = new Choices(new SimulationSeed(seed));
        Scheduler = new SimulationScheduler(order: isOrdered ? null : Choices.Tape("order"), maxSteps: 5_000_000);
        Scheduler.AfterStep = _ => Check();
        Network = new SimulatedNetwork(
            Scheduler, Choices.Tape("network"),
            new SimulatedNetworkOptions { MinDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(10) });
    }

    public static ClusterId Us { get; } = new("us");

    public static ClusterId Eu { get; } = new("eu");

    public static ClusterId Asia { get; } = new("asia");

    public Choices Choices { get; }

    public SimulationScheduler Scheduler { get; }

    public SimulatedNetwork Network { get; }

    /// <summary>What the clusters keep by majority.</summary>
    public InMemoryConditionalStore Memory { get; } = new();

    public QuorumDirectoryOptions Options { get; init; } = new();

    public GlobalDirectoryOptions Limits { get; init; } = new();

    /// <summary>The clusters as all silos have processed them; null while all are members.</summary>
    public MultiClusterConfiguration? Clusters { get; set; }

    /// <summary>A cluster whose silos serve no class; none by default.</summary>
    public ClusterId Idle { get; set; }

    public IReadOnlyList<QuorumSilo> Silos => _silos;

    public int Tenancies { get; private set; }

    /// <summary>True while one call now and then takes long.</summary>
    public bool HasLongTurns { get; set; }

    public QuorumSilo Start(ClusterId cluster, TimeProvider? clock = null, SimulatedStoreOptions? store = null)
    {
        var node = $"{cluster}/{++_starts}";
        var way = new SimulatedStore(
            Memory, Scheduler, Choices.Tape($"store {node}"), node,
            store ?? new SimulatedStoreOptions { MinDelay = TimeSpan.FromMilliseconds(5), MaxDelay = TimeSpan.FromMilliseconds(5) });
        var silo = new QuorumSilo(this, cluster, node, clock ?? Scheduler.Time, way);
        _silos.Add(silo);
        return silo;
    }

    /// <summary>The process is gone.</summary>
    public void Crash(QuorumSilo silo)
    {
        silo.Lane.Halt();
        silo.Metrics.Dispose();
        _silos.Remove(silo);
    }

    /// <summary>A cluster loses the majority and all others.</summary>
    public void CutOff(ClusterId cluster, bool isCut = true)
    {
        foreach (var other in new[] { Us, Eu, Asia }.Where(c => c != cluster))
        {
            if (isCut)
            {
                Network.Cut(cluster, other);
                Network.Cut(other, cluster);
            }
            else
            {
                Network.Mend(cluster, other);
            }
        }

        foreach (var silo in _silos.Where(s => s.Cluster == cluster))
        {
            silo.Way.Options.Unreachable = isCut;
        }
    }

    public bool MayBeCalled(string node) => _silos.Exists(s => s.Node == node);

    public async Task<bool> PassAsync(string node, GrainKey key) =>
        _silos.Find(s => s.Node == node) is { } silo
        && await silo.Lane.RunAsync(() => silo.RunAsync(key)) is var ran && ran;

    public void Begins(QuorumSilo silo, GrainKey key, long epoch)
    {
        Tenancies++;
        Assert.True(
            !_epochs.TryGetValue(key, out var last) || epoch > last, $"{key} has epoch {epoch} at {silo.Node} after epoch {last}");
        _epochs[key] = epoch;
    }

    /// <summary>Calls again until the call is answered; how long that took.</summary>
    public async Task<TimeSpan> AnsweredAsync(QuorumSilo silo, GrainKey key, TimeSpan limit)
    {
        var began = Scheduler.Time.Elapsed;
        var answered = silo.Lane.RunAsync(async () =>
        {
            while (!await silo.CallAsync(key))
            {
                await Task.Delay(TimeSpan.FromMilliseconds(50), Scheduler.Time);
            }
        });
        while (!answered.IsCompleted)
        {
            Assert.True(
                Scheduler.Time.Elapsed - began <= limit, $"{key} was not answered to {silo.Node} within {limit}, since {began}");
            await Task.Delay(TimeSpan.FromMilliseconds(10), Scheduler.Time);
        }

        await answered;
        return Scheduler.Time.Elapsed - began;
    }

    public void Check()
    {
        foreach (var key in _epochs.Keys)
        {
            QuorumSilo? first = null;
            foreach (var silo in _silos)
            {
                if (silo.Serves(key))
                {
                    Assert.True(first is null, $"{key} is served by {first?.Node} and {silo.Node}");
                    first = silo;
                }
            }
        }
    }
}
