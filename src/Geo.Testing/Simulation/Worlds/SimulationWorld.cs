using Microsoft.Extensions.Hosting;

namespace Geo.Testing;

/// <summary>
/// Clusters of real embedded silos on one thread in virtual time: activations, turns, routing, directory, views and timers are those that
/// ship; replaced are the network, the stores, the clock, threads and chance. All that is decided by chance comes from
/// <see cref="Choices"/>.
/// </summary>
/// <remarks>
/// Watched at every step: Propositions 3.1 and 3.2 of the GEO paper in the directories' rows, and that a pessimistic grain never has two
/// instances, nor any grain two in one cluster. A broken invariant ends the run with the present step.
/// </remarks>
public sealed class SimulationWorld
{
    // A timer takes no longer one.
    private static readonly TimeSpan LongestDelay = TimeSpan.FromDays(30);

    private static readonly TimeSpan RestartPause = TimeSpan.FromMilliseconds(500);

    private readonly List<SimulatedCluster> _clusters = [];
    private readonly SortedDictionary<string, SharedStore> _stores = new(StringComparer.Ordinal);

    static SimulationWorld() =>

        // Containers would otherwise compile their services on the thread pool after a while, at a cost that pays off in long-lived hosts
        // only.
        AppContext.SetSwitch("Microsoft.Extensions.DependencyInjection.DisableDynamicEngine", true);

    /// <summary>Creates a world without clusters.</summary>
    /// <param name="choices">Decides everything.</param>
    /// <param name="keepTrace">True to keep the trace's text, not its hash alone.</param>
    /// <param name="maxSteps">How many steps a run takes before it gives up; 1,000,000 by default.</param>
    public SimulationWorld(Choices choices, bool keepTrace = false, int maxSteps = 1_000_000)
    {
        ArgumentNullException.ThrowIfNull(choices);
        Choices = choices;
        Scheduler = new SimulationScheduler(order: choices.Tape("order"), maxSteps: maxSteps) { AwaitsCause = !choices.IsReplay };
        Trace = new SimulationTrace(Scheduler, keepTrace);
        Network = new SimulatedNetwork(Scheduler, choices.Tape("network"), trace: Trace);
        Network.OnPoint = PassesPoint;
        Network.Options.UnknownWhenCut = 0.5;
        Watch = new WorldWatch(this);
        Memories = new MemoryWatch(this);
        Points = new SimulationPoints(this);
        Func<string, Task> watcher = Points.ReachedAsync;
        Scheduler.BeforeStep += _ => SimulationPoint.Watcher = watcher;
        Log = new SimulationLog(this);
        Scheduler.AfterStep += _ =>
        {
            SimulationPoint.Watcher = null;
            Watch.CheckStep();
            if (Failure is { } failure)
            {
                throw new SimulationException(failure);
            }
        };
    }

    /// <summary>Where chance comes from.</summary>
    public Choices Choices { get; }

    /// <summary>The thread and the time.</summary>
    public SimulationScheduler Scheduler { get; }

    /// <summary>The clock.</summary>
    public VirtualTime Time => Scheduler.Time;

    /// <summary>What has happened.</summary>
    public SimulationTrace Trace { get; }

    /// <summary>The network between the clusters.</summary>
    public SimulatedNetwork Network { get; }

    /// <summary>The ways of clients to the silos' gateways.</summary>
    public SimulatedNetworkOptions Gateways { get; } =
        new() { MinDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(10) };

    /// <summary>The clusters, in the order in which they were added.</summary>
    public IReadOnlyList<SimulatedCluster> Clusters => _clusters;

    /// <summary>The stores that silos have used so far.</summary>
    public IEnumerable<SharedStore> Stores => _stores.Values;

    /// <summary>The ways of the clusters to all stores that silos have used so far.</summary>
    internal IEnumerable<SimulatedStore> Ways =>
        _stores.Values.SelectMany(s => s.Ways).Concat(_clusters.Select(c => c.RemoteRows).OfType<SimulatedStore>())
            .Concat(_clusters.SelectMany(c => c.Kept));

    /// <summary>The stores that the clusters keep together: each silo opens them as its application does.</summary>
    internal HashSet<string> KeptTogether { get; } = new(StringComparer.Ordinal);

    /// <summary>What happened how often.</summary>
    public SimulationCounts Counts { get; } = new();

    /// <summary>The first broken invariant; null while all hold.</summary>
    public string? Failure { get; private set; }

    /// <summary>True where nothing is lost, so that Proposition 3.2 holds: at most one cluster has a grain Owned or Doubtful.</summary>
    public bool IsReliable { get; set; }

    /// <summary>
    /// The one cluster of a reliable world of which that is not true: it may be cut off, or dead, and the others are as reliable among
    /// themselves. None where there is no such cluster.
    /// </summary>
    internal ClusterId Lone { get; set; }

    /// <summary>
    /// True where grains are owned by majority: then each silo has a lease, and not only one that shares its cluster with others.
    /// </summary>
    internal bool OwnsByQuorum { get; set; }

    /// <summary>How many calls of clients that <see cref="WorldLife.CallAsync"/> lets call are under way.</summary>
    internal int OpenCalls { get; set; }

    /// <summary>The clients outside of the silos.</summary>
    internal List<SimulatedClient> OpenClients { get; } = [];

    internal SimulationPoints Points { get; }

    internal WorldWatch Watch { get; }

    /// <summary>Which volatile grains have lost what was confirmed, as their rule allows.</summary>
    internal MemoryWatch Memories { get; }

    internal SimulationLog Log { get; }

    /// <summary>Wraps each silo's messenger, to show that the simulation notices a broken one.</summary>
    internal Func<IClusterMessenger, IClusterMessenger>? BreakMessenger { get; set; }

    /// <summary>Wraps each cluster's row store, to show that the simulation notices a broken one.</summary>
    internal Func<IConditionalStore, IConditionalStore>? BreakRows { get; set; }

    /// <summary>Wraps each store of states and versions, to show that the simulation notices a broken one.</summary>
    internal Func<IConditionalStore, IConditionalStore>? BreakState { get; set; }

    /// <summary>Adds a cluster; add all before the first silo starts, for each silo's configuration names them all.</summary>
    /// <param name="name">The name of the cluster.</param>
    /// <param name="configure">Sets a silo's host up as in production; called at each start of a silo.</param>
    /// <param name="silos">How many silos the cluster has.</param>
    /// <param name="keepsRows">
    /// True where the directory's rows are stored outside of the silos and outlive them. False for the memory of a cluster's only silo.
    /// </param>
    public SimulatedCluster AddCluster(string name, Action<IHostApplicationBuilder> configure, int silos = 1, bool keepsRows = false)
    {
        ArgumentNullException.ThrowIfNull(configure);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(silos);
        var cluster = new SimulatedCluster(this, new ClusterId(name), configure, silos, keepsRows || silos > 1);
        _clusters.Add(cluster);
        return cluster;
    }

    /// <summary>Starts every silo that is down; ends when all serve.</summary>
    public Task StartAsync() => Task.WhenAll(_clusters.SelectMany(c => c.Silos).Where(s => !s.IsUp).Select(StartAsync));

    /// <summary>Stops every silo that is up, in order.</summary>
    public async Task StopAsync()
    {
        foreach (var silo in _clusters.SelectMany(c => c.Silos).Where(s => s.IsUp))
        {
            await silo.StopAsync();
        }
    }

    /// <summary>A store that all clusters share.</summary>
    public SharedStore Store(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _stores.TryGetValue(name, out var store) ? store : _stores[name] = new SharedStore(this, name);
    }

    /// <summary>
    /// A named point in the code of grains (<see cref="SimulationPoint"/>): to wait for it, to hold up who comes there, or to crash it.
    /// </summary>
    public SimulationBarrier At(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return Points.At(name);
    }

    /// <summary>Lets virtual time pass.</summary>
    public async Task PassAsync(TimeSpan time)
    {
        for (; time > LongestDelay; time -= LongestDelay)
        {
            await Task.Delay(LongestDelay, Time);
        }

        await Task.Delay(time, Time);
    }

    /// <summary>
    /// Ends all faults of network, stores and silos and starts what is down; ends when all serve. Wrong wall clocks stay wrong.
    /// </summary>
    internal Task EndFaultsAsync()
    {
        EndFaults();
        return RestartAsync();
    }

    /// <summary>As <see cref="EndFaultsAsync"/>, and what is down stays so.</summary>
    internal void EndFaults()
    {
        Trace.Note("heals");
        (Network.Options.Loss, Network.Options.Duplication, Network.Options.NoticeLoss) = (0, 0, 0);
        Network.Heal();
        foreach (var store in Ways)
        {
            store.EndFaults();
        }

        foreach (var siblings in _clusters.Select(c => c.Siblings).OfType<SiblingNetwork>())
        {
            (siblings.Loss, siblings.Lateness, siblings.MaxHeard) = (0, 0, TimeSpan.Zero);
        }

        foreach (var silo in _clusters.SelectMany(c => c.Silos))
        {
            silo.CrashAfter(null);
            silo.Link();
            if (silo.IsDeclaredDead)
            {
                silo.Crash();
            }

            silo.Thaw();
        }
    }

    /// <summary>Starts what is down, but for clusters that are given up.</summary>
    internal Task RestartAsync() => Task.WhenAll(
        _clusters.Where(c => !c.IsGivenUp).SelectMany(c => c.Silos).Where(s => !s.IsUp).Select(RestartAsync));

    private async Task StartAsync(SimulatedSilo silo)
    {
        // Its supervisor may be about to start it.
        while (!silo.IsUp)
        {
            await (silo.Present is null ? silo.StartAsync() : PassAsync(RestartPause));
        }
    }

    /// <summary>Starts a silo; as long as a dead one that went by other settings is not known to be dead, it is tried again.</summary>
    private async Task RestartAsync(SimulatedSilo silo)
    {
        for (var deadline = Time.Elapsed + (2 * SiblingNetwork.MaxNoticed) + RestartPause; ; await PassAsync(RestartPause))
        {
            try
            {
                await StartAsync(silo);
                return;
            }
            catch (GeoConfigurationException) when (Time.Elapsed < deadline)
            {
                Trace.Note($"{silo} does not start yet");
            }
        }
    }

    /// <summary>Records a broken invariant; the run ends with the present step, so that no catch on the way can hide it.</summary>
    public void Fail(string what)
    {
        ArgumentNullException.ThrowIfNull(what);
        Failure ??= what;
        Trace.Note($"FAILED {what}");
    }

    /// <summary>
    /// A message or store operation is about to leave the lane whose step runs: the place where a silo may crash between two steps of a
    /// protocol.
    /// </summary>
    /// <returns>False when it never leaves, because the silo is gone.</returns>
    internal bool PassesPoint(string what)
    {
        if (SimulationLane.Running is not { } lane)
        {
            return true;
        }

        if (!lane.IsHalted && lane.Process.Silo is { } silo && silo.Runs(lane))
        {
            silo.ReachPoint(what);
        }

        return !lane.IsHalted;
    }

    internal void Noted(string? name, string text)
    {
        Trace.Note(text);
        Counts.DuplicatesHealed += name == "Duplicate" ? 1 : 0;
    }
}
