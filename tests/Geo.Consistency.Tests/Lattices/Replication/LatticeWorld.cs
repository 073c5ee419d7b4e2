using Geo.Consistency.Lattices;
using Geo.Testing;
using Microsoft.Extensions.Logging;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>Clusters with a replica each, on one thread in virtual time.</summary>
internal sealed class LatticeWorld
{
    private readonly SortedDictionary<string, (SimulationLane Lane, LatticeExchange Exchange)> _live = new(StringComparer.Ordinal);
    private readonly Random _random;

    internal LatticeWorld(int seed, string[] clusters, SimulatedNetworkOptions? network = null, LatticeOptions? options = null)
    {
        Clusters = [.. clusters.Select(c => new ClusterId(c))];
        Options = options ?? new();
        _random = new Random(seed);
        Scheduler = new SimulationScheduler(order: new ChoiceTape("order", new Random(seed + 1)), maxSteps: 10_000_000);
        Network = new SimulatedNetwork(Scheduler, new ChoiceTape("network", new Random(seed + 2)), network);
        Array.ForEach(clusters, Start);
    }

    internal SimulationScheduler Scheduler { get; }

    internal SimulatedNetwork Network { get; }

    internal LatticeOptions Options { get; }

    internal List<ClusterId> Clusters { get; }

    /// <summary>The bytes of all messages that were handed to the network.</summary>
    internal long BytesSent { get; private set; }

    /// <summary>What the replicas have logged as errors.</summary>
    internal List<string> Errors { get; } = [];

    internal IEnumerable<string> Live => _live.Keys;

    internal LatticeExchange this[string cluster] => _live[cluster].Exchange;

    internal void Start(string cluster)
    {
        var lane = Scheduler.CreateLane(cluster);
        var exchange = new LatticeExchange(
            new Counting(this, Network.Join(new(cluster), lane)), () => Clusters, Scheduler.Time, _random, new ErrorLog(Errors), Options);
        exchange.Add(new LatticeClass<PnCounter>("counter"));
        exchange.Add(new LatticeClass<Dotted<OrSet<string>>>("set"));
        exchange.Add(new LatticeClass<LwwRegister<string>>("register"));
        _live[cluster] = (lane, exchange);
        lane.Post(exchange.Start);
    }

    internal void Crash(string cluster)
    {
        _live[cluster].Lane.Halt();

        // Its timers are not of the lane.
        _live[cluster].Exchange.Dispose();
        _live.Remove(cluster);
    }

    internal void Run(Func<Task> function) => Scheduler.Run(function);

    internal Task Delay(double seconds) => Task.Delay(TimeSpan.FromSeconds(seconds), Scheduler.Time);

    /// <summary>Runs on a cluster's own lane, as its grains do.</summary>
    internal Task At(string cluster, Action<LatticeExchange> action)
    {
        var (lane, exchange) = _live[cluster];
        return lane.RunAsync(() =>
        {
            action(exchange);
            return Task.CompletedTask;
        });
    }

    internal Task Count(string cluster, string key, long amount) => At(cluster, e =>
    {
        using var handle = e.Open<PnCounter>(new("counter", key));
        handle.Update((s, o) => s.Add(o.Source, amount));
    });

    internal Task Put(string cluster, string key, string item) => At(cluster, e =>
    {
        using var handle = e.Open<Dotted<OrSet<string>>>(new("set", key));
        handle.Update((s, o) => s.Content.Add(o.NextDot(), item));
    });

    internal Task Take(string cluster, string key, string item) => At(cluster, e =>
    {
        using var handle = e.Open<Dotted<OrSet<string>>>(new("set", key));
        handle.Update((s, o) => s.Content.Remove(o.NextDot(), item));
    });

    internal Task Write(string cluster, string key, string text) => At(cluster, e =>
    {
        using var handle = e.Open<LwwRegister<string>>(new("register", key));
        handle.Update((_, o) => LwwRegister<string>.Of(o.NextStamp(), text));
    });

    internal T State<T>(string cluster, GrainKey key)
        where T : ILattice<T> => this[cluster].Node.Data.Cells.Find(key) is LatticeCell<T> cell ? cell.State : T.Bottom;

    /// <summary>The content of every grain of a cluster; empty ones are as good as none.</summary>
    internal SortedDictionary<string, string> Contents(string cluster)
    {
        var contents = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var cells = this[cluster].Node.Data.Cells;
        foreach (var cell in Enumerable.Range(0, LatticeCells.Buckets).SelectMany(cells.In))
        {
            var content = cell switch
            {
                LatticeCell<PnCounter> c => LatticeForm.ToJson(c.State),
                LatticeCell<Dotted<OrSet<string>>> s => string.Join(',', s.State.Content),
                LatticeCell<LwwRegister<string>> r => LatticeForm.ToJson(r.State),
                _ => throw new InvalidOperationException(cell.Key.ToString()),
            };
            if (content.Length > 0)
            {
                contents[cell.Key.ToString()] = content;
            }
        }

        return contents;
    }

    private sealed class ErrorLog(List<string> errors) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            errors.Add($"{formatter(state, exception)} {exception}");
    }

    private sealed class Counting(LatticeWorld world, IClusterMessenger inner) : IClusterMessenger
    {
        public event Action<ClusterId>? LinkUp
        {
            add => inner.LinkUp += value;
            remove => inner.LinkUp -= value;
        }

        public event Action<ClusterId>? LinkDown
        {
            add => inner.LinkDown += value;
            remove => inner.LinkDown -= value;
        }

        public ClusterId LocalCluster => inner.LocalCluster;

        public bool IsLinked(ClusterId cluster) => inner.IsLinked(cluster);

        public ValueTask<ClusterReply> RequestAsync(
            ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default,
            CancellationToken cancellationToken = default) => inner.RequestAsync(to, service, payload, options, cancellationToken);

        public bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default)
        {
            world.BytesSent += payload.Length;
            return inner.TrySend(to, service, payload, options);
        }

        public IDisposable Handle(string service, ClusterMessageHandler handler) => inner.Handle(service, handler);
    }
}
