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
        : this(5, leader, clusters)
    {
    }

    internal LeaderWorld(int seed, string leader, string[] clusters)
    {
        _leader = leader.Length == 0 ? default : new(leader);
        _clusters = [.. clusters.Select(c => new ClusterId(c))];
        _random = new Random(seed);
        Scheduler = new SimulationScheduler(order: new ChoiceTape("order", new Random(seed + 1)));
        Network = new SimulatedNetwork(Scheduler, new ChoiceTape("network", new Random(seed + 2)), new SimulatedNetworkOptions
        {
            MinDelay = TimeSpan.FromMilliseconds(50),
            MaxDelay = TimeSpan.FromMilliseconds(50),
        });
    }

    internal SimulationScheduler Scheduler { get; }

    internal SimulatedNetwork Network { get; }

    internal VersionedLeaderOptions Options { get; init; } = new();

    internal UpdateConfirmation Confirmation { get; init; }

    /// <summary>What a cluster has processed, where that is not the list of all.</summary>
    internal Dictionary<string, ReplicaConfiguration> Configurations { get; } = [];

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
            _random,
            new() { RequestTimeout = TimeSpan.FromSeconds(1) },
            Options);
        exchange.Memories.Home = lane;
        exchange.Memories.ConfigurationSource = () =>
            Configurations.GetValueOrDefault(cluster) ?? new(1, [.. _clusters.Order()], []);
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

    /// <summary>Activates the grain in a cluster that has started.</summary>
    internal Instance Activate(string cluster)
    {
        var (lane, exchange) = Exchanges[cluster];
        return Activate(cluster, lane, exchange);
    }

    /// <summary>Activates the grain where its host has given an instance up whose code may run on.</summary>
    internal Instance Replace(string cluster) =>
        Activate(cluster, Scheduler.CreateLane($"{cluster}, next"), Exchanges[cluster].Exchange);

    internal void Crash(string cluster)
    {
        Exchanges[cluster].Lane.Halt();
        _instances.Remove(cluster);
    }

    /// <summary>Ends a cluster in good order.</summary>
    internal async Task StopAsync(string cluster)
    {
        await DeactivateAsync(cluster);
        var (lane, exchange) = Exchanges[cluster];
        await lane.RunAsync(exchange.HandOverAsync);
        lane.Halt();
    }

    /// <summary>Ends the grain in a cluster, as a host does with an idle one.</summary>
    internal async Task DeactivateAsync(string cluster)
    {
        if (_instances.Remove(cluster, out var instance))
        {
            await instance.Do(async view =>
            {
                instance.Registration.Dispose();
                await view.DisposeAsync();
            });
        }
    }

    /// <summary>What a cluster remembers of the grain.</summary>
    internal LeaderReplica? Memory(string cluster) => Exchanges[cluster].Exchange.Memories.Find(Grain)?.Replica;

    internal void Run(Func<Task> function) => Scheduler.Run(function);

    internal Task Delay(int milliseconds) => Task.Delay(TimeSpan.FromMilliseconds(milliseconds), Scheduler.Time);

    internal void Cut(string from, string to) => Network.Cut(new(from), new(to));

    private Instance Activate(string cluster, SimulationLane lane, ReplicaExchange exchange)
    {
        var (listener, serializer) = (new Listener(), new CountingSerializer());
        var services = new ViewServices(
            serializer, _ => throw new InvalidOperationException(), Scheduler.Time, _random, NullLoggerFactory.Instance)
        {
            VersionedLeader = Options,
        };
        var view = new VersionedLeaderView<Notes, string>(
            Grain, new NotesModel(),
            new(Instancing.OnePerCluster, default, ViewProtocol.VersionedLeader, null, _leader) { Confirmation = Confirmation },
            exchange.LinkFor(replicated: true), services, listener);
        var instance = _instances[cluster] = new Instance(
            lane, view, listener, serializer, exchange.Register(Grain, view, lane));
        _ = instance.Do(v => v.Start());
        return instance;
    }

    internal sealed record Instance(
        SimulationLane Lane, VersionedLeaderView<Notes, string> View, Listener Listener, CountingSerializer Serializer,
        IDisposable Registration)
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
