using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Kit;

/// <summary>Instances of one volatile grain in several clusters, on one thread in virtual time. Messages take 50 ms each way.</summary>
internal sealed class LeaderWorld
{
    internal static readonly GrainKey Grain = new("notes", "1");

    private readonly Dictionary<string, Instance> _instances = [];
    private readonly List<ClusterId> _clusters;
    private readonly ClusterId _leader;
    private readonly Random _random;

    internal LeaderWorld(string leader, params string[] clusters)
    {
        _leader = new(leader);
        _clusters = [.. clusters.Select(c => new ClusterId(c))];
        _random = new Random(5);
        Scheduler = new SimulationScheduler(order: new ChoiceTape("order", new Random(6)));
        Network = new SimulatedNetwork(Scheduler, new ChoiceTape("network", new Random(7)), new SimulatedNetworkOptions
        {
            MinDelay = TimeSpan.FromMilliseconds(50),
            MaxDelay = TimeSpan.FromMilliseconds(50),
        });
    }

    internal SimulationScheduler Scheduler { get; }

    internal SimulatedNetwork Network { get; }

    internal VersionedLeaderOptions Options { get; init; } = new();

    internal Instance this[string cluster] => _instances[cluster];

    /// <summary>Starts a cluster, or starts it again after a crash; the grain is not active there yet.</summary>
    internal void Join(string cluster)
    {
        var lane = Scheduler.CreateLane(cluster);
        ReplicaExchange? exchange = null;
        exchange = new ReplicaExchange(
            Network.Join(new(cluster), lane),
            () => _clusters,
            (_, _) =>
            {
                Activate(cluster, lane, exchange!);
                return new(true);
            },
            Scheduler.Time,
            new() { RequestTimeout = TimeSpan.FromSeconds(1) });
        _instances.Remove(cluster);
        Exchanges[cluster] = (lane, exchange);
    }

    internal Dictionary<string, (SimulationLane Lane, ReplicaExchange Exchange)> Exchanges { get; } = [];

    /// <summary>Starts a cluster and activates the grain in it.</summary>
    internal Instance Add(string cluster)
    {
        Join(cluster);
        var (lane, exchange) = Exchanges[cluster];
        return Activate(cluster, lane, exchange);
    }

    internal void Crash(string cluster)
    {
        Exchanges[cluster].Lane.Halt();
        _instances.Remove(cluster);
    }

    internal void Run(Func<Task> function) => Scheduler.Run(function);

    internal Task Delay(int milliseconds) => Task.Delay(TimeSpan.FromMilliseconds(milliseconds), Scheduler.Time);

    internal void Cut(string from, string to) => Network.Cut(new(from), new(to));

    private Instance Activate(string cluster, SimulationLane lane, ReplicaExchange exchange)
    {
        var listener = new Listener();
        var services = new ViewServices(
            new CountingSerializer(), _ => throw new InvalidOperationException(), Scheduler.Time, _random, NullLoggerFactory.Instance)
        {
            VersionedLeader = Options,
        };
        var view = new VersionedLeaderView<Notes, string>(
            Grain, new NotesModel(), _leader, exchange.LinkFor(Grain, replicated: true), services, listener);
        exchange.Register(Grain, view, lane);
        return _instances[cluster] = new Instance(lane, view, listener);
    }

    internal sealed record Instance(SimulationLane Lane, VersionedLeaderView<Notes, string> View, Listener Listener)
    {
        internal Task Do(Func<VersionedLeaderView<Notes, string>, Task> function) => Lane.RunAsync(() => function(View));

        internal Task Do(Action<VersionedLeaderView<Notes, string>> action) => Lane.RunAsync(() =>
        {
            action(View);
            return Task.CompletedTask;
        });

        internal Task<bool> Try(params string[] updates) => Lane.RunAsync(() => View.TryEnqueueAsync(updates));
    }
}
