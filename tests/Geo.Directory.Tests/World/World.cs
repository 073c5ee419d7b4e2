using Geo.Testing;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests;

/// <summary>
/// A few clusters, 50 ms apart, in virtual time. After every step: at most one cluster owns a grain (Proposition 3.1), and every live
/// instance has a row that lets it run.
/// </summary>
internal sealed class World
{
    public static readonly GrainKey Grain = new("cart", "1");
    public static readonly TimeSpan OneWay = TimeSpan.FromMilliseconds(50);
    public static readonly TimeSpan RoundTrip = OneWay * 2;

    private readonly List<Silo> _silos = [];
    private readonly Dictionary<ClusterId, FaultyStore> _rows = [];
    private readonly Dictionary<ClusterId, SimulatedMessenger> _messengers = [];
    private readonly HashSet<(ClusterId, string)> _dead = [];
    private readonly HashSet<(ClusterId, string)> _unfenced = [];
    private readonly HashSet<GrainKey> _watched = [Grain];
    private readonly int _seed;

    public World(int seed = 1, params string[] clusters)
    {
        _seed = seed;
        Clusters = [.. (clusters.Length == 0 ? ["eu", "us"] : clusters).Select(c => new ClusterId(c))];
        Scheduler = new SimulationScheduler { AfterStep = _ => CheckInvariants() };
        Network = new SimulatedNetwork(Scheduler, new ChoiceTape("network", new Random(seed)), new SimulatedNetworkOptions
        {
            MinDelay = OneWay,
            MaxDelay = OneWay,
            RefusedWhenCut = 1,
        });
    }

    public static TheoryData<int> TwoToEightClusters => [2, 3, 4, 5, 6, 7, 8];

    public ClusterId[] Clusters { get; }

    public SimulationScheduler Scheduler { get; }

    public SimulatedNetwork Network { get; }

    public VirtualTime Time => Scheduler.Time;

    public GlobalDirectoryOptions Options { get; set; } = new();

    /// <summary>What the directories tell an operator.</summary>
    public ILogger<GlobalDirectory> Log { get; set; } = NullLogger<GlobalDirectory>.Instance;

    /// <summary>What stands between a cluster's first silo and its messenger.</summary>
    public Func<IClusterMessenger, IClusterMessenger> Over { get; set; } = messenger => messenger;

    /// <summary>The configuration that a cluster goes by; the same for all unless a test says otherwise.</summary>
    public Dictionary<ClusterId, MultiClusterConfiguration> Configurations { get; } = [];

    /// <summary>Runs a test with one started silo in every cluster.</summary>
    public static void Run(World world, Func<Silo[], Task> test) => world.Scheduler.Run(async () =>
    {
        var silos = world.Clusters.Select(c => world.AddSilo(c, c.Name + "/1")).ToArray();
        foreach (var silo in silos)
        {
            await StartAsync(silo);
        }

        await test(silos);
    });

    public MultiClusterConfiguration ConfigurationOf(ClusterId cluster) =>
        Configurations.GetValueOrDefault(cluster) ?? new MultiClusterConfiguration(1, Clusters);

    public NodeState StateOf(ClusterId cluster, string node) =>
        !_dead.Contains((cluster, node)) ? NodeState.Living
        : _unfenced.Contains((cluster, node)) ? NodeState.Unfenced
        : NodeState.Gone;

    /// <summary>A silo of a cluster that runs; null when there is none of that name.</summary>
    public Silo? Find(ClusterId cluster, string node) =>
        _silos.FindLast(silo => silo.Cluster == cluster && silo.Node == node && !silo.Lane.IsHalted);

    /// <summary>Gives every message a delay of its own; before the first silo starts.</summary>
    /// <returns>The longest round trip.</returns>
    public TimeSpan VaryDelays(TimeSpan shortest, TimeSpan longest)
    {
        (Network.Options.MinDelay, Network.Options.MaxDelay) = (shortest, longest);
        return longest * 2;
    }

    public void Watch(GrainKey key) => _watched.Add(key);

    /// <summary>A further silo of a cluster shares the cluster's rows and its messenger's link, but serves no requests.</summary>
    public Silo AddSilo(ClusterId cluster, string node)
    {
        var lane = Scheduler.CreateLane(node);
        var rows = _rows.TryGetValue(cluster, out var existing) ? existing : _rows[cluster] = new FaultyStore(Scheduler);
        IClusterMessenger messenger = _messengers.TryGetValue(cluster, out var first)
            ? new SecondMessenger(first)
            : Over(_messengers[cluster] = Network.Join(cluster, lane));

        // The first silo that starts while no other one lives begins another life of the cluster.
        var living = _silos.LastOrDefault(other => other.Cluster == cluster && !other.Lane.IsHalted);
        var incarnation = living?.Incarnation ?? _silos.Count(other => other.Cluster == cluster) + 1;
        var silo = new Silo(this, cluster, node, lane, messenger, rows, incarnation, (_seed * 31) + _silos.Count);
        _silos.Add(silo);
        return silo;
    }

    /// <summary>Replaces a crashed silo by a new incarnation with the same rows and, unless another is given, the same name.</summary>
    public async Task<Silo> RestartAsync(Silo crashed, string? node = null)
    {
        _dead.Remove((crashed.Cluster, node ?? crashed.Node));
        _messengers.Remove(crashed.Cluster);
        var silo = AddSilo(crashed.Cluster, node ?? crashed.Node);
        await StartAsync(silo);
        return silo;
    }

    public static Task StartAsync(Silo silo) => silo.Lane.RunAsync(() =>
    {
        silo.Directory.Start();
        return Task.CompletedTask;
    });

    /// <summary>Crashes a silo.</summary>
    /// <param name="silo">The silo.</param>
    /// <param name="fenced">Whether its cluster knows at once that it is gone; otherwise after <see cref="Fence(Silo)"/>.</param>
    public void Crash(Silo silo, bool fenced = true)
    {
        silo.Lane.Halt();
        silo.Instances.Clear();
        _dead.Add((silo.Cluster, silo.Node));
        if (!fenced)
        {
            _unfenced.Add((silo.Cluster, silo.Node));
        }
    }

    /// <summary>A node of a cluster that is dead, and not fenced off, without ever having been a silo here.</summary>
    public void AddUnfenced(ClusterId cluster, string node)
    {
        _dead.Add((cluster, node));
        _unfenced.Add((cluster, node));
    }

    /// <summary>From now on the cluster of a crashed silo knows that it is gone.</summary>
    public void Fence(Silo silo) => Fence(silo.Cluster, silo.Node);

    /// <summary>The same of any node.</summary>
    public void Fence(ClusterId cluster, string node) => _unfenced.Remove((cluster, node));

    public Task PassAsync(TimeSpan time) => Task.Delay(time, Time);

    public Task PassAsync(double seconds) => PassAsync(TimeSpan.FromSeconds(seconds));

    /// <summary>How long something takes, in virtual time.</summary>
    public async Task<TimeSpan> MeasureAsync(Func<Task> action)
    {
        var before = Time.Elapsed;
        await action();
        return Time.Elapsed - before;
    }

    private void CheckInvariants()
    {
        foreach (var key in _watched)
        {
            var owners = _rows.Count(r => r.Value.Entry(key).State == GsiState.Owned);
            if (owners > 1)
            {
                throw new SimulationException($"{key} has {owners} owners at {Time.Elapsed}.");
            }

            foreach (var silo in _silos)
            {
                if (silo.Instances.Contains(key) && silo.Entry(key) is var entry
                    && !((entry.MayRunHere || entry.IsYielding) && entry.Node == silo.Node))
                {
                    throw new SimulationException($"{key} has an instance at {silo.Node} at {Time.Elapsed}, but its row is {entry}.");
                }
            }
        }
    }
}
