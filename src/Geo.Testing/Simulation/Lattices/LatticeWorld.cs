using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;

namespace Geo.Testing;

/// <summary>
/// Clusters with a replica each, or with replicas of some grains each, which may have stores, on one thread in virtual time.
/// </summary>
internal sealed class LatticeWorld
{
    private readonly SortedDictionary<string, Life> _live = new(StringComparer.Ordinal);
    private readonly Dictionary<string, SimulatedStore> _stores = new(StringComparer.Ordinal);
    private readonly Random _random;
    private readonly LatticeDomain _domain;
    private readonly int _replicas;
    private readonly bool _hasStock;

    internal LatticeWorld(
        int seed, string[] clusters, SimulatedNetworkOptions? network = null, LatticeOptions? options = null, bool isStored = false,
        LatticeDomain domain = LatticeDomain.Free, int replicas = 0, bool hasStock = false, int maxSteps = 10_000_000)
    {
        (IsStored, _domain, _replicas, _hasStock) = (isStored, domain, replicas, hasStock);
        Clusters = [.. clusters.Select(c => new ClusterId(c))];
        Options = options ?? new();
        _random = new Random(seed);
        Scheduler = new SimulationScheduler(order: new ChoiceTape("order", new Random(seed + 1)), maxSteps: maxSteps);
        Network = new SimulatedNetwork(Scheduler, new ChoiceTape("network", new Random(seed + 2)), network);
        StoreChoices = new ChoiceTape("stores", new Random(seed + 3));
        Array.ForEach(clusters, Start);
    }

    internal SimulationScheduler Scheduler { get; }

    internal SimulatedNetwork Network { get; }

    internal LatticeOptions Options { get; }

    /// <summary>Options of single clusters, from their next start on.</summary>
    internal Dictionary<string, LatticeOptions> OptionsOf { get; } = new(StringComparer.Ordinal);

    /// <summary>The configurations of single clusters, from their next start on.</summary>
    internal Dictionary<string, ClusterId[]> ClustersOf { get; } = new(StringComparer.Ordinal);

    /// <summary>How many clusters have a replica of each grain, by single clusters, from their next start on.</summary>
    internal Dictionary<string, int> ReplicasOf { get; } = new(StringComparer.Ordinal);

    /// <summary>By how much clocks of clusters are ahead, from their next start on.</summary>
    internal Dictionary<string, TimeSpan> AheadOf { get; } = new(StringComparer.Ordinal);

    internal List<ClusterId> Clusters { get; }

    /// <summary>The length of the largest message that was handed to the network.</summary>
    internal int LargestMessage { get; private set; }

    /// <summary>The bytes of all messages that were handed to the network.</summary>
    internal long BytesSent { get; private set; }

    /// <summary>How many updates were made at replicas that clusters had because parts were hot.</summary>
    internal int UpdatesAtGuests { get; private set; }

    /// <summary>What the replicas have logged as errors.</summary>
    internal List<string> Errors { get; } = [];

    internal IEnumerable<string> Live => _live.Keys;

    /// <summary>A cluster's replica, where it has one of all grains.</summary>
    internal LatticeExchange this[string cluster] => _live[cluster].Exchange!;

    /// <summary>A cluster's replicas of all grains that it has any of.</summary>
    internal IEnumerable<LatticeExchange> Exchanges(string cluster) => _live[cluster].Exchanges;

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
        var clusters = ClustersOf.GetValueOrDefault(cluster);
        var replicas = ReplicasOf.GetValueOrDefault(cluster, _replicas);
        var life = _live[cluster] = new(
            Scheduler.CreateLane(cluster), new(new(cluster), ClustersHere, OptionsOf.GetValueOrDefault(cluster, Options).LeavingClusters),
            replicas);
        life.Lane.Post(() =>
        {
            var store = IsStored ? StoreOf(cluster) : null;
            (LatticeClass, IConditionalStore?)[] classes =
            [
                (new LatticeClass<PnCounter>("counter", replicas: replicas), store),
                (new LatticeClass<Dotted<OrSet<string>>>("set", replicas: replicas), store),
                (new LatticeClass<LwwRegister<string>>("register", replicas: replicas), store),
            ];
            classes = _hasStock ? [.. classes, (new LatticeClass<EscrowCounter>("stock", replicas: replicas), store)] : classes;
            var messenger = new Counting(this, Network.Join(new(cluster), life.Lane));
            if (replicas > 0)
            {
                var options = OptionsOf.GetValueOrDefault(cluster, Options);
                life.Replicas = new(classes, life.Placement, Create, (options, Scheduler.Time));
                life.Replicas.Start();
                return;
            }

            life.Exchange = Create(_domain);
            Array.ForEach(classes, c => life.Exchange.Add(c.Item1, c.Item2));
            life.Exchange.Start();

            LatticeExchange Create(LatticeGroup group) => new(
                messenger, ClustersHere, new SiloClock(Scheduler.Time) { Skew = AheadOf.GetValueOrDefault(cluster) }, _random,
                new ErrorLog(Errors), OptionsOf.GetValueOrDefault(cluster, Options), group: group);
        });

        IReadOnlyList<ClusterId> ClustersHere() => clusters is null ? Clusters : clusters;
    }

    internal void Crash(string cluster)
    {
        _live[cluster].Lane.Halt();
        _live.Remove(cluster);
    }

    /// <summary>Stops a cluster in an orderly way, for which it has so many seconds.</summary>
    /// <returns>True when all that it had to hand over was handed over.</returns>
    internal async Task<bool> StopAsync(string cluster, double seconds = 30)
    {
        var life = _live[cluster];
        var left = true;
        await life.Lane.RunAsync(async () =>
        {
            using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(seconds), Scheduler.Time);
            try
            {
                await Task.WhenAll(life.Exchanges.Select(e => e.LeaveAsync(patience.Token)));
            }
            catch (OperationCanceledException)
            {
                left = false;
            }
        });
        Crash(cluster);
        return left;
    }

    internal void Run(Func<Task> function) => Scheduler.Run(function);

    internal Task Delay(double seconds) => Task.Delay(TimeSpan.FromSeconds(seconds), Scheduler.Time);

    /// <summary>Runs on a cluster's own lane, as its grains do, with its replica of all grains.</summary>
    internal Task At(string cluster, Action<LatticeExchange> action)
    {
        var life = _live[cluster];
        return life.Lane.RunAsync(() =>
        {
            action(life.Exchange!);
            return Task.CompletedTask;
        });
    }

    /// <summary>The cluster that serves a call of a grain made in a cluster: that one, or the first live one with a replica.</summary>
    /// <exception cref="GeoUnavailableException">None lives.</exception>
    internal string ServerOf(string cluster, GrainKey grain) => IsHeldIn(cluster, grain)
        ? cluster
        : _live[cluster].HoldersOf(grain).Select(holder => holder.Name).FirstOrDefault(_live.ContainsKey)
            ?? throw new GeoUnavailableException($"No cluster lives that has {grain}.");

    /// <summary>True where a cluster has a replica of a grain, and serves it.</summary>
    internal bool IsHeldIn(string cluster, GrainKey grain) => _live[cluster].Serves(grain);

    /// <returns>The replica that the update was made at.</returns>
    internal Task<ReplicaId> Count(string cluster, string key, long amount) =>
        UpdateAsync<PnCounter>(cluster, new("counter", key), (s, o) => s.Add(o.Source, amount));

    /// <summary>Adds to a counter that never falls below zero.</summary>
    /// <returns>The replica that the update was made at.</returns>
    internal Task<ReplicaId> Stock(string cluster, string key, long amount) =>
        UpdateAsync<EscrowCounter>(cluster, new("stock", key), (s, o) => s.Add(o.Source, amount));

    /// <summary>Takes one from a counter that never falls below zero.</summary>
    /// <returns>False where the cluster that was called has no right to it.</returns>
    internal async Task<bool> TakeStock(string cluster, string key)
    {
        var outcome = EscrowOutcome.NoneKnown;
        await UpdateAsync<EscrowCounter>(cluster, new("stock", key), (s, o) =>
        {
            outcome = s.TryTake(o.Source, 1, out var delta);
            return delta;
        });
        return outcome == EscrowOutcome.Taken;
    }

    /// <inheritdoc cref="Count"/>
    internal Task<ReplicaId> Put(string cluster, string key, string item) =>
        UpdateAsync<Dotted<OrSet<string>>>(cluster, new("set", key), (s, o) => s.Content.Add(o.NextDot(), item));

    /// <inheritdoc cref="Count"/>
    internal Task<ReplicaId> Take(string cluster, string key, string item) =>
        UpdateAsync<Dotted<OrSet<string>>>(cluster, new("set", key), (s, o) => s.Content.Remove(o.NextDot(), item));

    /// <inheritdoc cref="Count"/>
    internal Task<ReplicaId> Write(string cluster, string key, string text) =>
        UpdateAsync<LwwRegister<string>>(cluster, new("register", key), (_, o) => LwwRegister<string>.Of(o.NextStamp(), text));

    /// <summary>Waits, as a grain does, until a counter's updates made where it is served are stored.</summary>
    internal Task StoredAsync(string cluster, string key)
    {
        var grain = new GrainKey("counter", key);
        var life = _live[ServerOf(cluster, grain)];
        return life.Lane.RunAsync(async () =>
        {
            using var handle = life.Open<PnCounter>(grain);
            await handle.DurableAsync(CancellationToken.None);
        });
    }

    /// <summary>The state that a call made in a cluster sees.</summary>
    internal T State<T>(string cluster, GrainKey key)
        where T : ILattice<T> =>
        Exchanges(ServerOf(cluster, key)).Select(e => e.Node.Data.Cells.Find(key)).OfType<LatticeCell<T>>().FirstOrDefault() is { } cell
            ? cell.State
            : T.Bottom;

    /// <summary>The replica that updates of a grain made by calls in a cluster are made at.</summary>
    internal Task<ReplicaId> SourceOfAsync(string cluster, GrainKey grain)
    {
        var life = _live[ServerOf(cluster, grain)];
        return life.Lane.RunAsync(() => Task.FromResult(life.ExchangeOf(grain).Node.Data.Id));
    }

    /// <summary>All replicas of a cluster.</summary>
    internal Task<ReplicaId[]> SourcesOfAsync(string cluster)
    {
        var life = _live[cluster];
        return life.Lane.RunAsync(() => Task.FromResult(life.Exchanges.Select(e => e.Node.Data.Id).ToArray()));
    }

    private async Task<ReplicaId> UpdateAsync<T>(string cluster, GrainKey grain, Func<T, LatticeOrigin, T> change)
        where T : ILattice<T>
    {
        var caller = _live[cluster];
        if (caller.Replicas is { HasHeat: true } replicas)
        {
            await caller.Lane.RunAsync(() => Task.FromResult(replicas.IsCalledHere(grain)));
        }

        var life = _live[ServerOf(cluster, grain)];
        UpdatesAtGuests += life.IsHolderOf(grain) ? 0 : 1;
        return await life.Lane.RunAsync(() =>
        {
            using var handle = life.Open<T>(grain);
            handle.Update(change);
            return Task.FromResult(life.ExchangeOf(grain).Node.Data.Id);
        });
    }

    /// <summary>The content of every grain of a cluster; empty ones are as good as none.</summary>
    internal SortedDictionary<string, string> Contents(string cluster)
    {
        var contents = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var all = Exchanges(cluster).Select(e => e.Node.Data.Cells);
        foreach (var cell in all.SelectMany(cells => Enumerable.Range(0, LatticeCells.Buckets).SelectMany(cells.In)))
        {
            var content = cell switch
            {
                LatticeCell<PnCounter> c => c.State.Equals(PnCounter.Bottom) ? "" : LatticeForm.ToJson(c.State),
                LatticeCell<Dotted<OrSet<string>>> s => string.Join(',', s.State.Content),
                LatticeCell<EscrowCounter> e => e.State.Equals(EscrowCounter.Bottom) ? "" : LatticeForm.ToJson(e.State),
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

    private sealed class Life(SimulationLane lane, LatticePlacement placement, int replicas)
    {
        internal SimulationLane Lane => lane;

        internal LatticePlacement Placement => placement;

        internal IReadOnlyList<ClusterId> HoldersOf(GrainKey grain) => placement.HoldersOf(GroupOf(grain));

        internal bool IsHolderOf(GrainKey grain) => placement.IsHere(GroupOf(grain));

        internal bool Serves(GrainKey grain) => Replicas?.IsHere(grain) ?? IsHolderOf(grain);

        internal IEnumerable<LatticeExchange> Exchanges => Replicas?.Exchanges ?? (Exchange is null ? [] : [Exchange]);

        internal LatticeExchange? Exchange { get; set; }

        internal LatticeReplicas? Replicas { get; set; }

        internal LatticeHandle<T> Open<T>(GrainKey grain)
            where T : ILattice<T> => Replicas?.Open<T>(grain) ?? Exchange!.Open<T>(grain);

        internal LatticeExchange ExchangeOf(GrainKey grain) => Replicas?.For(grain) ?? Exchange!;

        private LatticeGroup GroupOf(GrainKey grain) =>
            replicas == 0 ? LatticeDomain.Free : LatticeGroup.Of(grain, replicas);
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
