using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Silos;

/// <summary>
/// The silos of one cluster, which watch each other's leases: each with a process, a clock and a way to the store of the rows of its own.
/// At every moment nobody takes a silo for gone that may serve.
/// </summary>
internal sealed class LeaseRing
{
    private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(5);

    private readonly SimulationScheduler _scheduler;
    private readonly List<RingSilo> _all = [];

    public LeaseRing(SimulationScheduler scheduler)
    {
        _scheduler = scheduler;
        Net = new SiblingNet(Time);
    }

    public static TimeSpan Lease { get; } = TimeSpan.FromSeconds(6);

    /// <summary>How long after it was last renewed a lease that is not renewed any more is over for the watcher.</summary>
    public static TimeSpan Noticed { get; } = Lease * 1.65;

    public SiblingNet Net { get; }

    public InMemoryConditionalStore Rows { get; } = new();

    private VirtualTime Time => _scheduler.Time;

    /// <summary>Starts silos one after another, a moment apart, so that their renewals and looks come at times of their own.</summary>
    public async Task<IReadOnlyList<RingSilo>> StartAsync(int count, TimeSpan apart)
    {
        var silos = new List<RingSilo>();
        for (var i = 1; i <= count; i++)
        {
            silos.Add(await StartAsync($"eu/{i}"));
            await PassAsync(apart);
        }

        return silos;
    }

    public async Task<RingSilo> StartAsync(string node, double rate = 1, TimeSpan? lease = null)
    {
        var lane = _scheduler.CreateLane(node);
        var way = new WayToRows(Rows, Time, _all.Count);
        var member = Net.Join(node);
        var clock = new RatedClock(Time, rate);
        var cluster = new ClusterSilo(
            new ClusterSiloOptions { LeaseDuration = lease ?? Lease }, way, member, member, new NoInstances(), clock, NullLogger.Instance,
            new CoarseClock(clock));
        var silo = new RingSilo(node, lane, way, cluster);
        cluster.Fenced += () => silo.Fenced++;
        await lane.RunAsync(() => cluster.StartAsync(CancellationToken.None));
        _all.Add(silo);
        return silo;
    }

    /// <summary>It stops in order.</summary>
    public async Task StopAsync(RingSilo silo)
    {
        await silo.Lane.RunAsync(async () =>
        {
            await silo.Cluster.LeaveAsync(CancellationToken.None);
            await silo.Cluster.DisposeAsync();
        });
        Net.Declare(silo.Node, SiloState.Dead);
        _all.Remove(silo);
    }

    public Task PassAsync(TimeSpan time) => UntilAsync(() => false, time);

    /// <summary>How long it takes until a condition holds; at most the limit.</summary>
    public async Task<TimeSpan> UntilAsync(Func<bool> condition, TimeSpan limit)
    {
        var began = Time.Elapsed;
        while (!condition() && Time.Elapsed - began < limit)
        {
            await Task.Delay(Glance, Time);
            foreach (var silo in _all.Where(silo => silo.MayServe))
            {
                Assert.DoesNotContain(_all, other => other.Calls(silo, NodeState.Gone));
            }
        }

        return Time.Elapsed - began;
    }

    private sealed class NoInstances : IInstanceTable
    {
        public bool Has(GrainKey key) => false;

        public Task DeactivateAsync(GrainKey key, string reason) => Task.CompletedTask;
    }
}
