// Longer than most: what the memories of a silo share, their bounds and who looks after which of them, under one lock.
using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Consistency;

/// <summary>
/// The memories of volatile grains on one silo, and what they share. They outlive the grains' activations; those of grains that are not
/// active are bounded, and the one that was used longest ago makes room, which is a loss of this cluster's memory of that grain.
/// </summary>
internal sealed class ReplicaMemories(
    ClusterId local, Func<IReadOnlyList<ClusterId>> clusters, VersionedLeaderOptions options, Random random, TimeProvider time,
    Func<GrainKey, ClusterId, ReadOnlyMemory<byte>, CancellationToken, ValueTask<ClusterReply>> send, Action<GrainKey> tell) : IDisposable
{
    // Of the grains that are looked after when a link comes up, before a pause.
    private const int LookedAfterAtOnce = 500;

    private readonly Lock _gate = new();
    private readonly HashSet<ReplicaMemory> _memories = ByGrain<ReplicaMemory>.Table(static m => m.Key);
    private readonly LinkedList<(ReplicaMemory Memory, long Bytes)> _parked = [];
    private long _parkedBytes;
    private readonly CancellationTokenSource _stopping = new();

    private readonly ImmutableArray<ClusterId> _former = [.. options.FormerClusters.Select(Named).Order()];
    private IReadOnlyList<ClusterId>? _known;
    private ReplicaConfiguration? _configuration;

    internal VersionedLeaderOptions Options => options;

    /// <summary>Sends messages for several grains as one.</summary>
    internal Func<ClusterId, IReadOnlyList<(GrainKey, byte[])>, CancellationToken, ValueTask<ClusterReply>> SendMany { get; init; } =
        static (_, _, _) => new(ClusterReply.Refused("no messenger"));

    /// <summary>
    /// Whether an instance may show and change its memory: one that its host has given up must not take it from the next one.
    /// </summary>
    internal Func<GrainKey, IMemoryWatcher, bool> MayAttach { get; init; } = static (_, _) => true;

    /// <summary>Where work runs that outlives what asks for it.</summary>
    internal TaskScheduler Home { get; set; } =
        SynchronizationContext.Current is null ? TaskScheduler.Current : TaskScheduler.FromCurrentSynchronizationContext();

    internal TimeProvider Time => time;

    internal ILogger Logger { get; set; } = NullLogger.Instance;

    internal CancellationToken Stopping => _stopping.Token;

    /// <summary>Whether the silo may serve: a silo that shares its cluster must not without its lease.</summary>
    internal Func<bool> MayServe { get; set; } = static () => true;

    /// <summary>The clusters that agree at present.</summary>
    internal ReplicaConfiguration Configuration => ConfigurationSource?.Invoke() ?? ByOptions();

    /// <summary>Another source of the configuration than the options, whose number it must have.</summary>
    internal Func<ReplicaConfiguration>? ConfigurationSource { get; set; }

    /// <summary>What was given to other silos of the cluster and may not have arrived.</summary>
    internal GivenMemories Given { get; } = new(options);

    /// <summary>Those of one moment, in an order that is the same in every process.</summary>
    internal IReadOnlyList<ReplicaMemory> All
    {
        get
        {
            lock (_gate)
            {
                return [.. _memories.OrderBy(m => m.Key.ToString(), StringComparer.Ordinal)];
            }
        }
    }

    public void Dispose() => _stopping.Cancel();

    /// <summary>The memory of a grain; null where there is none on this silo.</summary>
    internal ReplicaMemory? Find(GrainKey key)
    {
        lock (_gate)
        {
            if (!TryGet(key, out var memory))
            {
                return null;
            }

            if (memory.Parked is { } place)
            {
                _parked.Remove(place);
                _parked.AddLast(place);
            }

            return memory;
        }
    }

    /// <summary>The memory of a grain; a new one remembers nothing and says so.</summary>
    internal ReplicaMemory GetOrCreate(GrainKey key)
    {
        if (Find(key) is { } known)
        {
            return known;
        }

        lock (_gate)
        {
            if (!TryGet(key, out var memory))
            {
                Park(memory = Begin(key));
            }

            return memory;
        }
    }

    /// <summary>
    /// The memory of a grain for an instance that shows it: it stays as long as that does. Null for one that may not, or where there is
    /// none.
    /// </summary>
    internal ReplicaMemory? TryAttach(
        GrainKey key, IMemoryWatcher watcher, UpdateConfirmation confirmation, ClusterId named = default, bool mayBegin = true)
    {
        lock (_gate)
        {
            // Here and not before: who registers later attaches later, too.
            if (!MayAttach(key, watcher) || (Find(key) ?? (mayBegin ? Begin(key) : null)) is not { } memory)
            {
                return null;
            }

            Unpark(memory);
            memory.Attach(watcher, confirmation, named);
            return memory;
        }
    }

    /// <summary>The instance has ended.</summary>
    internal void Detach(ReplicaMemory memory, IMemoryWatcher watcher)
    {
        lock (_gate)
        {
            if (memory.Detach(watcher) && memory.Parked is null && TryGet(memory.Key, out var known) && known == memory)
            {
                Park(memory);
            }
        }
    }

    /// <summary>True where the memory of a grain is on this silo.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="isInUse">True when an instance of this silo shows it.</param>
    internal bool Has(GrainKey key, out bool isInUse)
    {
        lock (_gate)
        {
            isInUse = TryGet(key, out var memory) && memory.Parked is null;
            return memory is not null;
        }
    }

    /// <summary>
    /// Takes the memory of a grain out of this silo, for another one of the cluster; null where there is none.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="isInUse">True when an instance of this silo shows it: it stays.</param>
    internal ReplicaMemory? TakeOut(GrainKey key, out bool isInUse)
    {
        lock (_gate)
        {
            isInUse = TryGet(key, out var memory) && memory.Parked is null;
            if (memory is null || isInUse)
            {
                return null;
            }

            Unpark(memory);
            memory.Drop();
            _memories.Remove(memory);
            return memory;
        }
    }

    /// <summary>A memory comes from another silo of the cluster.</summary>
    internal void Bring(GrainKey key, LeaderReplica replica, UpdateConfirmation? confirmation)
    {
        lock (_gate)
        {
            if (!TryGet(key, out _))
            {
                var brought = new ReplicaMemory(key, this, replica) { Confirmation = confirmation };
                _memories.Add(brought);
                Park(brought);
            }
        }
    }

    /// <summary>A link to another cluster came up: the grains are looked after some at a time.</summary>
    internal async Task LinkUpAsync(ClusterId cluster)
    {
        try
        {
            foreach (var some in All.Chunk(LookedAfterAtOnce))
            {
                foreach (var memory in some)
                {
                    memory.LinkUp(cluster);
                }

                if (some.Length == LookedAfterAtOnce)
                {
                    await Task.Delay(options.RetryBase, time, Stopping);
                }
            }
        }
        catch (Exception e) when (e is GeoUnavailableException or OperationCanceledException)
        {
            // The silo has lost its lease, or stops.
        }
    }

    /// <summary>Lets other clusters lead what this silo leads, within the time that the options allow; nothing without a lease.</summary>
    internal async Task HandOverAsync()
    {
        if (!MayServe())
        {
            return;
        }

        using var limit = new CancellationTokenSource(options.HandOverWait, time);
        try
        {
            await new HandOvers(this).RunAsync(All.Where(m => m.Replica.Leadership is not null), limit.Token);
        }
        catch (Exception e) when (e is OperationCanceledException or GeoException)
        {
            ViewLog.NotHandedOver(Logger, local, e.Message);
        }
    }

    internal void Tell(GrainKey key) => tell(key);

    /// <summary>A memory of a grain that is not active remembers more, or less.</summary>
    internal void Resized(ReplicaMemory memory)
    {
        lock (_gate)
        {
            if (memory.Parked is not null)
            {
                Count(memory);
            }
        }
    }

    internal void EnsureMayServe(GrainKey key)
    {
        if (!MayServe())
        {
            throw new GeoUnavailableException(
                $"The replica of {key} answers nothing: its silo has no lease, and another one may have its place.");
        }
    }

    /// <summary>Milliseconds since 1970.</summary>
    internal long Clock => time.GetUtcNow().ToUnixTimeMilliseconds();

    /// <summary>Asks another replica.</summary>
    /// <exception cref="GeoUnavailableException">This silo has no lease: another one may have the memory.</exception>
    internal ValueTask<ClusterReply> RequestAsync(GrainKey key, ClusterId to, ReadOnlyMemory<byte> message)
    {
        EnsureMayServe(key);
        return send(key, to, message, Stopping);
    }

    /// <summary>What another replica has answered; null where it has not, or not in a form that can be read.</summary>
    internal T? TryRead<T>(GrainKey key, ClusterId from, ClusterReply reply, Func<ReadOnlySpan<byte>, T> read)
        where T : class
    {
        try
        {
            return reply.Outcome == ReplyOutcome.Replied && !reply.Payload.IsEmpty ? read(reply.Payload.Span) : null;
        }
        catch (GeoSerializationException e)
        {
            ViewLog.UnreadableNotification(Logger, key, from, e.Message);
            return null;
        }
    }

    /// <summary>Waits after failures, unless it is cut short.</summary>
    internal async Task PauseAsync(int failures, CancellationToken cutShort)
    {
        using var both = CancellationTokenSource.CreateLinkedTokenSource(cutShort, Stopping);
        try
        {
            await Task.Delay(
                BackOff.AfterFailures(Math.Max(1, failures), options.RetryBase, options.RetryMaximum, random), time, both.Token);
        }
        catch (OperationCanceledException)
        {
            // Something has changed.
        }
    }

    /// <summary>Runs work that outlives what asks for it where the silo runs its own.</summary>
    internal Task<T> OnHome<T>(Func<Task<T>> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, Home).Unwrap();

    /// <inheritdoc cref="OnHome{T}"/>
    internal Task OnHome(Func<Task> work) => OnHome(async () =>
    {
        try
        {
            await work();
        }
        catch (Exception e) when (e is GeoException or OperationCanceledException)
        {
            // Its silo has lost its lease, or stops.
        }

        return true;
    });

    /// <summary>The cluster that leads where nobody else does: the first by rendezvous among those but one.</summary>
    internal static ClusterId NextAfter(GrainKey key, ClusterId without, ReplicaConfiguration configuration) =>
        LeaderChoice.Order(key, default, configuration.Clusters).FirstOrDefault(c => c != without);

    internal bool IsNextAfter(GrainKey key, ClusterId without) => NextAfter(key, without, Configuration) == local;

    /// <summary>True where this cluster is to tell one that came back in the place of a leader that may be away, and can.</summary>
    internal bool MayTellFor(GrainKey key, ClusterId leader, ClusterId back, UpdateConfirmation? confirmation) =>
        Configuration is var configuration && confirmation is { } asked && !configuration.MayConfirmAlone(asked)
        && LeaderChoice.Order(key, default, configuration.Clusters).FirstOrDefault(c => c != leader && c != back) == local;

    private bool TryGet(GrainKey key, [NotNullWhen(true)] out ReplicaMemory? memory) =>
        _memories.GetAlternateLookup<GrainKey>().TryGetValue(key, out memory);

    private ReplicaMemory Begin(GrainKey key)
    {
        var begun = new ReplicaMemory(key, this, new(local, random.NextInt64(1, long.MaxValue)));
        _memories.Add(begun);
        return begun;
    }

    private void Park(ReplicaMemory memory)
    {
        memory.Parked = _parked.AddLast((memory, 0));
        Count(memory);
    }

    private void Unpark(ReplicaMemory memory)
    {
        if (memory.Parked is { } place)
        {
            _parked.Remove(place);
            _parkedBytes -= place.Value.Bytes;
            memory.Parked = null;
        }
    }

    /// <summary>Counts what a memory remembers now, and makes room for it.</summary>
    private void Count(ReplicaMemory memory)
    {
        var bytes = memory.Replica.StateBytes;
        ref var counted = ref memory.Parked!.ValueRef.Bytes;
        _parkedBytes += bytes - counted;
        counted = bytes;
        while (_parked.Count > options.MaxParked || (_parkedBytes > options.MaxParkedBytes && _parked.Count > 1))
        {
            var first = _parked.First!.Value.Memory;
            Unpark(first);
            first.Drop();
            _memories.Remove(first);
            ConsistencyMetrics.MemoriesDropped.Add(1);
        }
    }

    private static ClusterId Named(string name)
    {
        try
        {
            return new(name);
        }
        catch (ArgumentException e)
        {
            throw new GeoConfigurationException(
                $"{nameof(VersionedLeaderOptions)}:{nameof(VersionedLeaderOptions.FormerClusters)} names a cluster that cannot be: "
                + e.Message, e);
        }
    }

    private ReplicaConfiguration ByOptions()
    {
        var now = clusters();
        if (_configuration is not { } known || !ReferenceEquals(now, _known))
        {
            known = new(
                options.Configuration, [.. now.Append(local).Distinct().Order()], _former);
            (_known, _configuration) = (now, known);
        }

        return known;
    }
}
