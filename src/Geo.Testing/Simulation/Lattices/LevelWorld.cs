using Geo.Consistency;
using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging.Abstractions;
using Item = Geo.Consistency.Lattices.Pair<
    Geo.Consistency.Lattices.Dotted<Geo.Consistency.Lattices.OrSet<long>>, Geo.Consistency.Lattices.LwwRegister<long>>;

namespace Geo.Testing;

/// <summary>
/// Clusters with replicas of one class of a level, on one thread in virtual time, and sessions that go from one to another.
/// </summary>
internal sealed class LevelWorld
{
    internal const string Class = "item";

    // No update that counts.
    private const long Filler = 0;

    private readonly SortedDictionary<string, LevelReplica> _live =
        new(StringComparer.Ordinal);

    private readonly Dictionary<long, Stamp> _stamps = [];
    private readonly ConsistencyLevel _classLevel;
    private readonly Func<string, TimeSpan> _clockOf;
    private readonly Random _random;
    private long _lastUpdate;
    private int _lives;

    internal LevelWorld(
        int seed, ConsistencyLevel classLevel, string[] clusters, SimulatedNetworkOptions? network = null, LatticeOptions? options = null,
        Func<string, TimeSpan>? clockOf = null)
    {
        (_classLevel, _clockOf, _random) = (classLevel, clockOf ?? (_ => TimeSpan.Zero), new Random(seed));
        Clusters = [.. clusters.Select(c => new ClusterId(c))];
        Options = options ?? new();
        Scheduler = new SimulationScheduler(order: new ChoiceTape("order", new Random(seed + 1)), maxSteps: 10_000_000);
        Network = new SimulatedNetwork(Scheduler, new ChoiceTape("network", new Random(seed + 2)), network);
        Array.ForEach(clusters, Start);
    }

    internal SimulationScheduler Scheduler { get; }

    internal SimulatedNetwork Network { get; }

    internal LatticeOptions Options { get; }

    /// <summary>Options of single clusters, from their next start on.</summary>
    internal Dictionary<string, LatticeOptions> OptionsOf { get; } = new(StringComparer.Ordinal);

    internal List<ClusterId> Clusters { get; }

    internal LevelHistory History { get; } = new();

    internal IEnumerable<string> Live => _live.Keys;

    internal LatticeReplicas this[string cluster] => _live[cluster].Replicas;

    internal string LifeOf(string cluster) => _live[cluster].Life;

    internal void Start(string cluster)
    {
        var lane = Scheduler.CreateLane(cluster);
        var messenger = Network.Join(new(cluster), lane);
        var time = new SiloClock(Scheduler.Time) { Skew = _clockOf(cluster) };
        var placement = new LatticePlacement(new(cluster), () => Clusters);
        var replicas = new LatticeReplicas([(new LatticeClass<Item>(Class, _classLevel), null)], placement, group => new(
            messenger, () => Clusters, time, _random, NullLogger.Instance, OptionsOf.GetValueOrDefault(cluster, Options), group: group));
        _live[cluster] = new(lane, replicas, $"{cluster}{++_lives}");
        lane.Post(replicas.Start);
    }

    internal void Crash(string cluster)
    {
        _live.Remove(cluster, out var replica);
        replica!.Lane.Halt();
        replica.Replicas.Dispose();
        replica.Crashed.SetResult();
    }

    internal void Run(Func<Task> function) => Scheduler.Run(function);

    internal Task Delay(double seconds) => Task.Delay(TimeSpan.FromSeconds(seconds), Scheduler.Time);

    /// <summary>Runs on a cluster's own lane.</summary>
    /// <exception cref="OperationCanceledException">It has crashed meanwhile.</exception>
    internal async Task<TResult> At<TResult>(string cluster, Func<Task<TResult>> function)
    {
        var replica = _live[cluster];
        var result = replica.Lane.RunAsync(function);
        await Task.WhenAny(result, replica.Crashed.Task);
        return result.IsCompleted ? await result : throw new OperationCanceledException();
    }

    /// <summary>Reads a grain and notes what it saw.</summary>
    internal async Task<(long Winner, IReadOnlyList<long> Seen)> ReadAsync(
        string cluster, ILatticeSession session, string name, string key, int transaction = 0, LevelCallKind kind = LevelCallKind.Read)
    {
        var life = LifeOf(cluster);
        return await At(cluster, async () => await session.ReadAsync(new(Class, key), (Item item) =>
        {
            var winner = item.Second.HasValue ? item.Second.Value : 0;
            History.Add(new(name, life, key, kind)
            {
                Update = winner,
                Stamp = item.Second.Stamp,
                Seen = [.. Updates(item)],
                Transaction = transaction,
            });
            return (winner, (IReadOnlyList<long>)[.. Updates(item)]);
        }));
    }

    /// <summary>Writes a new update into a grain and notes it.</summary>
    internal async Task<long> WriteAsync(string cluster, ILatticeSession session, string name, string key, int transaction = 0)
    {
        var (life, update) = (LifeOf(cluster), ++_lastUpdate);
        await At(cluster, async () =>
        {
            await session.UpdateAsync(new(Class, key), (Item item, LatticeOrigin origin) =>
            {
                _stamps[update] = origin.NextStamp();
                return new Item(item.First.Content.Add(origin.NextDot(), update), LwwRegister<long>.Of(_stamps[update], update));
            });
            History.Add(new(name, life, key, LevelCallKind.Write)
            {
                Update = update,
                Stamp = _stamps.GetValueOrDefault(update),
                Transaction = transaction,
            });
            return true;
        });
        return update;
    }

    /// <summary>Makes so many updates of a grain that its state is the shorter form of them.</summary>
    internal Task Burst(string cluster, ILatticeSession session, string key) => At(cluster, async () =>
    {
        for (var i = 0; i < 70; i++)
        {
            await session.UpdateAsync(new(Class, key), (Item item, LatticeOrigin origin) =>
                new Item(item.First.Content.Add(origin.NextDot(), Filler), LwwRegister<long>.Bottom));
        }

        return true;
    });

    internal Task Commit(string cluster, ILatticeSession session, int transaction) => At(cluster, () =>
    {
        session.Commit();
        History.Commit(transaction, write => write with { Stamp = _stamps.GetValueOrDefault(write.Update) });
        return Task.FromResult(true);
    });

    internal Task Abort(string cluster, ILatticeSession session, int transaction) => At(cluster, () =>
    {
        session.Abort();
        Forget(session.Level, transaction);
        return Task.FromResult(true);
    });

    /// <summary>What an aborted transaction wrote has no stamp where it waited for the commit: only previews had.</summary>
    internal void Forget(ConsistencyLevel level, int transaction)
    {
        History.Abort(transaction);
        if ((level.Parts() & LevelParts.Buffers) != 0)
        {
            History.Commit(transaction, write => write with { Stamp = default });
        }
    }

    internal ILatticeSession Open(string cluster, ConsistencyLevel level, SessionToken? token = null, double wait = 3) =>
        ((ILatticeSessions)this[cluster]).Open(level, token, wait: TimeSpan.FromSeconds(wait));

    private static IEnumerable<long> Updates(Item item) => item.First.Content.Where(static update => update != Filler);

    private sealed record LevelReplica(SimulationLane Lane, LatticeReplicas Replicas, string Life)
    {
        internal TaskCompletionSource Crashed { get; } = new();
    }
}
