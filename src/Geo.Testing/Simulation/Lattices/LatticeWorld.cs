using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;

namespace Geo.Testing;

/// <summary>Clusters with a replica each, which may have stores, on one thread in virtual time.</summary>
internal sealed class LatticeWorld
{
    private readonly SortedDictionary<string, Life> _live = new(StringComparer.Ordinal);
    private readonly Dictionary<string, SimulatedStore> _stores = new(StringComparer.Ordinal);
    private readonly Random _random;
    private readonly LatticeDomain _domain;

    internal LatticeWorld(
        int seed, string[] clusters, SimulatedNetworkOptions? network = null, LatticeOptions? options = null, bool isStored = false,
        LatticeDomain domain = LatticeDomain.Free)
    {
        (IsStored, _domain) = (isStored, domain);
        Clusters = [.. clusters.Select(c => new ClusterId(c))];
        Options = options ?? new();
        _random = new Random(seed);
        Scheduler = new SimulationScheduler(order: new ChoiceTape("order", new Random(seed + 1)), maxSteps: 10_000_000);
        Network = new SimulatedNetwork(Scheduler, new ChoiceTape("network", new Random(seed + 2)), network);
        StoreChoices = new ChoiceTape("stores", new Random(seed + 3));
        Array.ForEach(clusters, Start);
    }

    internal SimulationScheduler Scheduler { get; }

    internal SimulatedNetwork Network { get; }

    internal LatticeOptions Options { get; }

    /// <summary>Options of single clusters, from their next start on.</summary>
    internal Dictionary<string, LatticeOptions> OptionsOf { get; } = new(StringComparer.Ordinal);

    /// <summary>By how much clocks of clusters are ahead, from their next start on.</summary>
    internal Dictionary<string, TimeSpan> AheadOf { get; } = new(StringComparer.Ordinal);

    internal List<ClusterId> Clusters { get; }

    /// <summary>The length of the largest message that was handed to the network.</summary>
    internal int LargestMessage { get; private set; }

    /// <summary>The bytes of all messages that were handed to the network.</summary>
    internal long BytesSent { get; private set; }

    /// <summary>What the replicas have logged as errors.</summary>
    internal List<string> Errors { get; } = [];

    internal IEnumerable<string> Live => _live.Keys;

    internal LatticeExchange this[string cluster] => _live[cluster].Exchange!;

    /// <summary>True where each cluster has a store.</summary>
    internal bool IsStored { get; }

    internal IEnumerable<SimulatedStore> Stores => _stores.Values;

    private ChoiceTape StoreChoices { get; }

    /// <summary>A cluster's way to its store, which outlives its crashes.</summary>
    internal SimulatedStore StoreOf(string cluster) => _stores.TryGetValue(cluster, out var store)
        ? store
        : _stores[cluster] = new(new InMemoryConditionalStore(), Scheduler, StoreChoices, $"store {cluster}");

    internal void Start(string cluster)
    {
        var life = _live[cluster] = new(Scheduler.CreateLane(cluster));
        life.Lane.Post(() =>
        {
            var exchange = life.Exchange = new LatticeExchange(
                new Counting(this, Network.Join(new(cluster), life.Lane)), () => Clusters,
                new SiloClock(Scheduler.Time) { Skew = AheadOf.GetValueOrDefault(cluster) }, _random, new ErrorLog(Errors),
                OptionsOf.GetValueOrDefault(cluster, Options), domain: _domain);
            var store = IsStored ? StoreOf(cluster) : null;
            exchange.Add(new LatticeClass<PnCounter>("counter"), store);
            exchange.Add(new LatticeClass<Dotted<OrSet<string>>>("set"), store);
            exchange.Add(new LatticeClass<LwwRegister<string>>("register"), store);
            exchange.Start();
        });
    }

    internal void Crash(string cluster)
    {
        _live[cluster].Lane.Halt();
        _live.Remove(cluster);
    }

    internal void Run(Func<Task> function) => Scheduler.Run(function);

    internal Task Delay(double seconds) => Task.Delay(TimeSpan.FromSeconds(seconds), Scheduler.Time);

    /// <summary>Runs on a cluster's own lane, as its grains do.</summary>
    internal Task At(string cluster, Action<LatticeExchange> action)
    {
        var life = _live[cluster];
        return life.Lane.RunAsync(() =>
        {
            action(life.Exchange!);
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

    /// <summary>Waits, as a grain does, until a counter's updates made here are stored.</summary>
    internal Task StoredAsync(string cluster, string key)
    {
        var life = _live[cluster];
        return life.Lane.RunAsync(async () =>
        {
            using var handle = life.Exchange!.Open<PnCounter>(new("counter", key));
            await handle.DurableAsync(CancellationToken.None);
        });
    }

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
                LatticeCell<PnCounter> c => c.State.Equals(PnCounter.Bottom) ? "" : LatticeForm.ToJson(c.State),
                LatticeCell<Dotted<OrSet<string>>> s => string.Join(',', s.State.Content),
                LatticeCell<LwwRegister<string>> r => r.State.HasValue ? LatticeForm.ToJson(r.State) : "",
                _ => throw new InvalidOperationException(cell.Key.ToString()),
            };
            if (content.Length > 0)
            {
                contents[cell.Key.ToString()] = content;
            }
        }

        return contents;
    }

    private sealed class Life(SimulationLane lane)
    {
        internal SimulationLane Lane => lane;

        internal LatticeExchange? Exchange { get; set; }
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

    private sealed class Counting(LatticeWorld world, IClusterMessenger inner) : MessengerOver(inner)
    {
        public override bool TrySend(ClusterId to, string service, ReadOnlyMemory<byte> payload, MessageOptions options = default)
        {
            world.BytesSent += payload.Length;
            world.LargestMessage = Math.Max(world.LargestMessage, payload.Length);
            return Inner.TrySend(to, service, payload, options);
        }
    }
}
