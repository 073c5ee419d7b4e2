using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency.Tests.Kit;

/// <summary>Instances of one persistent grain in several clusters over one store, on one thread in virtual time.</summary>
internal sealed class CasWorld
{
    internal static readonly GrainKey Grain = new("notes", "1");

    private readonly List<Instance> _instances = [];
    private readonly SimulatedNetwork _network;
    private readonly Random _random;
    private ReadOnlyMemory<byte> _storedBytes;
    private (long Version, List<string> Lines) _stored = (0, []);

    internal CasWorld(int seed = 1, double loss = 0)
    {
        _random = new Random(seed);
        Scheduler = new SimulationScheduler(order: new ChoiceTape("order", new Random(seed + 1)));
        _network = new SimulatedNetwork(Scheduler, new ChoiceTape("network", new Random(seed + 2)), new SimulatedNetworkOptions
        {
            MinDelay = TimeSpan.FromMilliseconds(1),
            MaxDelay = TimeSpan.FromMilliseconds(9),
            Loss = loss,
            Duplication = loss,
        });
        Store = new ScriptedStore(Scheduler.Time);
    }

    internal SimulationScheduler Scheduler { get; }

    internal ScriptedStore Store { get; }

    internal SimulatedNetwork Network => _network;

    internal BatchedCasOptions Options { get; init; } = new();

    internal List<ClusterId> Clusters { get; } = [];

    internal IReadOnlyList<Instance> Instances => _instances;

    /// <summary>The state in the store.</summary>
    internal (long Version, List<string> Lines) Stored
    {
        get
        {
            var read = Store.Inner.ReadAsync(VersionedViews.StoreKeyPrefix + Grain).AsTask().GetAwaiter().GetResult();
            if (read.Outcome == StoreReadOutcome.NotFound)
            {
                return (0, []);
            }

            if (!read.Value.Equals(_storedBytes))
            {
                var stored = StoredVersion.Read(read.Value);
                _stored = (stored.Version, new CountingSerializer().Deserialize<Notes>(stored.State.Span).Lines);
                _storedBytes = read.Value;
            }

            return _stored;
        }
    }

    /// <summary>Adds an instance, in a cluster of its own unless one is named; a second one in a cluster gets no messages.</summary>
    internal Instance Add(string? cluster = null)
    {
        var id = new ClusterId(cluster ?? ((char)('a' + Clusters.Count)).ToString());
        var lane = Scheduler.CreateLane($"{id}{_instances.Count}");
        IReplicaLink link;
        ReplicaExchange? exchange = null;
        if (Clusters.Contains(id))
        {
            link = new UnreplicatedLink(id);
        }
        else
        {
            Clusters.Add(id);
            exchange = new ReplicaExchange(
                _network.Join(id, lane), () => [.. Clusters], (_, _) => new(false), Scheduler.Time, new Random(1));
            link = exchange.LinkFor(replicated: true);
        }

        var serializer = new CountingSerializer();
        var listener = new Listener();
        var services = new ViewServices(serializer, _ => Store, Scheduler.Time, _random, NullLoggerFactory.Instance)
        {
            BatchedCas = Options,
        };
        var view = new BatchedCasView<Notes, string>(Grain, new NotesModel(), Store, link, services, listener);
        exchange?.Register(Grain, view, lane);
        var instance = new Instance(lane, view, listener, serializer);
        _instances.Add(instance);
        return instance;
    }

    internal void Run(Func<Task> function) => Scheduler.Run(function);

    internal Task Delay(int milliseconds) => Task.Delay(TimeSpan.FromMilliseconds(milliseconds), Scheduler.Time);

    internal sealed record Instance(
        SimulationLane Lane, BatchedCasView<Notes, string> View, Listener Listener, CountingSerializer Serializer)
    {
        internal Task Do(Func<BatchedCasView<Notes, string>, Task> function) => Lane.RunAsync(() => function(View));

        internal Task Do(Action<BatchedCasView<Notes, string>> action) => Lane.RunAsync(() =>
        {
            action(View);
            return Task.CompletedTask;
        });

        internal Task<T> Ask<T>(Func<BatchedCasView<Notes, string>, T> function) => Lane.RunAsync(() => Task.FromResult(function(View)));
    }
}
