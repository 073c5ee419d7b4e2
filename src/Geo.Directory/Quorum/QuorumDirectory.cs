// Longer than most: what a host asks of the directory by majority, each for the part that does it, and what of it begins and ends together.
using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// The directory of the single-instance grains of the mode <see cref="SingleInstanceMode.Quorum"/>, as one silo sees it: who owns a grain
/// stands in a row of a store that the clusters keep by majority, and a silo owns grains as long as it renews its lease there (rules Q1 to
/// Q9 of the design of regions, with one lease a silo in place of one a cluster).
/// </summary>
/// <remarks>
/// <para>
/// Guarantees: at most one silo of all clusters may serve a grain at any time, whatever messages or store outcomes are lost, late or
/// unknown, and whoever stands still or is cut off: a row leaves its owner only by the owner itself, or by one who knows the owner's lease
/// to be over, when <see cref="HeldOf"/> lets it serve no more. Of clocks it is assumed that none runs a tenth faster than another. Epochs
/// only grow.
/// </para>
/// <para>
/// Costs, in round trips to the nearest majority: 2 for a first access, wherever the grain was before; 1 where it is found elsewhere, and
/// none as long as a hint says so; 1 for a release. A lease is renewed by 1, whatever the number of grains.
/// </para>
/// <para>
/// Safe to use from several threads. What goes on in the background runs on the scheduler (or synchronization context) on which
/// <see cref="Start"/> is called.
/// </para>
/// </remarks>
internal sealed class QuorumDirectory : IInstanceDirectory, IAsyncDisposable
{
    // A third of the lease between renewals: what takes longer is late for the next one.
    private const int RenewalsPerLease = 3;
    private const int MaxAbandonedRenewals = 100;

    private readonly IClusterMessenger _messenger;
    private readonly QuorumSurroundings _surroundings;
    private readonly IInstanceTable _instances;
    private readonly QuorumAcquisition _acquisition;
    private readonly OwnershipStore _store;
    private readonly OwnLease _own;
    private readonly OtherLeases _others;
    private readonly OldFences _oldFences;
    private readonly Tenancies _tenancies = new();
    private readonly MissedOwners _missed;
    private readonly QuorumGifts _gifts;
    private readonly QuorumDrain _drain;
    private readonly UnusedArrivals _unused;
    private readonly QuorumAdministration _administration;
    private readonly Hints _hints;
    private readonly DirectoryMetrics _metrics;
    private readonly MoveJournal _moves;
    private readonly GlobalDirectoryOptions _limits;
    private readonly ILogger _logger;
    private readonly Dictionary<GrainKey, Task<Placement>> _running = [];
    private readonly Dictionary<GrainKey, Task<long?>> _moving = [];
    private readonly ConcurrentDictionary<GrainKey, OwnLease.Held> _losing = new();
    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _lifetime = new();
    private TaskScheduler? _home;
    private IDisposable? _service;
    private IDisposable? _siblings;
    private Task[] _loops = [];
    private bool _disposed;

    /// <summary>Creates a directory; nothing happens before <see cref="Start"/>.</summary>
    /// <param name="options">The lease.</param>
    /// <param name="limits">Limits and waits.</param>
    /// <param name="messenger">Says which clusters are within reach; it names the local one.</param>
    /// <param name="store">The store by majority.</param>
    /// <param name="surroundings">What the silo is among the silos of its cluster.</param>
    /// <param name="instances">The instances of this silo.</param>
    /// <param name="metrics">Counts what is refused and what did not end in time.</param>
    /// <param name="moves">Remembers what this silo does to where grains are.</param>
    /// <param name="time">Both clocks.</param>
    /// <param name="random">Jitter.</param>
    /// <param name="logger">The log.</param>
    /// <exception cref="GeoConfigurationException">A lease may be held longer than the store waits after a forced removal.</exception>
    public QuorumDirectory(
        QuorumDirectoryOptions options, GlobalDirectoryOptions limits, IClusterMessenger messenger, IConditionalStore store,
        QuorumSurroundings surroundings, IInstanceTable instances, DirectoryMetrics metrics, MoveJournal moves, TimeProvider time,
        Random random, ILogger logger)
    {
        var lease = options.Checked().LeaseDuration;
        QuorumSetup.CheckForcedWait(store, options);
        (_messenger, _limits, _instances, _metrics, _moves, _logger) = (messenger, limits, instances, metrics, moves, logger);
        (_surroundings, Node) = (surroundings, surroundings.Node);
        _hints = new Hints(limits.MaxHints, metrics);
        _store = new OwnershipStore(store, Bounds(limits.StoreTimeout, limits.MaxAbandonedOperations), time, logger);
        var renewals = new OwnershipStore(store, Bounds(lease / (RenewalsPerLease + 1), MaxAbandonedRenewals), time, logger);
        _own = new OwnLease(renewals, $"{messenger.LocalCluster}/{surroundings.Node}", lease, time, logger);
        _others = new OtherLeases(_store, _own, lease, time, logger);
        _oldFences = new OldFences(_store, options.FenceRetention, time, logger);
        _own.Over += held => _ = EndAsync(held);
        _others.Over += ForgetAll;
        _missed = new MissedOwners(limits.MaxHints);
        _gifts = new QuorumGifts(messenger, surroundings, limits);
        _drain = new QuorumDrain(
            _store, _own, _others, _tenancies, IsUnderWay, instances, messenger.LocalCluster, limits, metrics, time, logger);
        _administration = new QuorumAdministration(
            _store, _others, _tenancies, _drain, _gifts, _hints, messenger, surroundings, limits, moves, time);
        _acquisition = new QuorumAcquisition(
            _store, _own, _others, _tenancies, _missed, _gifts, messenger, surroundings, limits, lease, new Draws(random), moves, time,
            logger)
        {
            Arrived = key => Arrived?.Invoke(key),
        };
        _unused = new UnusedArrivals(
            limits.MaxHeldRows, GiveUpUnusedAsync, (key, e) => logger.LoopFailed($"give up of {key}, which is not used", e), time);

        StoreBounds Bounds(TimeSpan timeout, int most) => new(timeout, most)
        {
            TimedOut = () => metrics.BoundHit("quorum store"),
            Refused = () => metrics.Refused("quorum store operations"),
        };
    }

    /// <summary>This silo, as <see cref="Placement.Node"/> names it.</summary>
    public string Node { get; }

    /// <summary>What an operator may ask of these grains.</summary>
    public IGeoAdministration Administration => _administration;

    /// <summary>Raised when this silo has taken a grain that another cluster has moved here, or given for a call.</summary>
    internal event Action<GrainKey>? Arrived;

    /// <summary>True while this silo holds its lease, under which it can own grains.</summary>
    public bool MayServe => _own.MayServe;

    /// <summary>How old the lease is; null before the start.</summary>
    public LeaseStatus? Lease => _own.Present?.Lease.Status;

    /// <summary>Takes a lease and keeps it, and watches those of others.</summary>
    public void Start()
    {
        _home = SynchronizationContext.Current is null ? TaskScheduler.Current : TaskScheduler.FromCurrentSynchronizationContext();
        _service = _gifts.Receive(TakeAsync);
        _siblings = _administration.Receive();
        _loops =
        [
            OnHome(() => _own.KeepUntilAsync(_lifetime.Token)),
            OnHome(() => _others.WatchUntilAsync(_lifetime.Token)),
            OnHome(() => _oldFences.RemoveUntilAsync(_lifetime.Token)),
        ];
    }

    /// <summary>
    /// The tenancy that this silo has of a grain: its epoch, and what says whether the silo may still serve it, to be asked before each
    /// call, and again before its answer counts. Null when it has none.
    /// </summary>
    public (long Epoch, ILeaseGuard Guard)? HeldOf(GrainKey key) => _tenancies.Of(key) is not { IsEnding: false } tenancy ? null
        : (tenancy.Row.Epoch, SwitchedOff.Is(ProtocolRule.TenancyNamesLease) ? _own : tenancy.Lease);

    /// <summary>Finds out where the instance of a grain is, and acquires the grain for this silo if it is nowhere.</summary>
    /// <returns>
    /// Here with this silo's node: the instance may run while <see cref="HeldOf"/> says so, until it is released. Here with another node of
    /// this cluster, or Elsewhere: calls go there.
    /// </returns>
    /// <exception cref="GeoUnavailableException">
    /// This silo has no lease, no majority answers, or the owner is out of reach and its lease is not over; in bounded time. Or the row is
    /// damaged.
    /// </exception>
    public ValueTask<Placement> AcquireAsync(
        GrainKey key, string node, SingleInstanceMode mode, CancellationToken cancellationToken = default) =>
        _tenancies.Of(key) is { MayBegin: true } ? new(Here)
            : _hints.TryGet(key, out var hint) ? new(hint)
            : new(Join(key).WaitAsync(cancellationToken));

    /// <summary>Where the instance of a grain is as far as this silo knows; asks nobody.</summary>
    /// <returns>Null when it does not know.</returns>
    public ValueTask<Placement?> LookupAsync(GrainKey key, CancellationToken cancellationToken = default) =>
        new(_tenancies.Of(key) is not null ? Here : _hints.TryGet(key, out var hint) ? hint : null);

    /// <summary>Does nothing: a lookup here reads no row.</summary>
    public void NoteLookedUp(GrainKey key)
    {
    }

    /// <summary>
    /// Where in this cluster the instance of a grain is, by its row. A hint of this silo that says otherwise is dropped.
    /// </summary>
    /// <returns>Null when it is not in this cluster.</returns>
    /// <exception cref="GeoUnavailableException">No majority answers, or the row is damaged.</exception>
    public async ValueTask<Placement?> FindHereAsync(GrainKey key, CancellationToken cancellationToken = default)
    {
        if (_tenancies.Of(key) is not null)
        {
            return Here;
        }

        if (await _acquisition.FindAsync(key, cancellationToken) is not { Kind: PlacementKind.Here } here)
        {
            return null;
        }

        _hints.Remove(key);
        return here;
    }

    /// <summary>Where the instance of a grain is, by its row of now; acquires nothing.</summary>
    /// <returns>Null when it is nowhere.</returns>
    /// <exception cref="GeoUnavailableException">No majority answers, or the row is damaged.</exception>
    public async ValueTask<Placement?> FindAnewAsync(
        GrainKey key, ClusterId lost = default, CancellationToken cancellationToken = default) =>
        _tenancies.Of(key) is not null ? Here : await _acquisition.FindAsync(key, cancellationToken);

    /// <summary>Takes a grain for this silo whose instance moves here from another silo of the cluster: nobody can come between.</summary>
    /// <remarks>
    /// Call it after the instance at <paramref name="from"/> has run its last call, and before the next one runs its first.
    /// </remarks>
    /// <returns>
    /// The tenancy under which the grain is this silo's. Null when the row is not that of the instance at <paramref name="from"/>, and
    /// nothing was changed; or when this silo's lease was over as it was.
    /// </returns>
    /// <exception cref="GeoUnavailableException">No majority answers, so that it is not known whether the row changed.</exception>
    public async ValueTask<long?> MoveAsync(
        GrainKey key, string from, string to, long? tenancy = null, CancellationToken cancellationToken = default)
    {
        Task<long?> moving;
        while (true)
        {
            Task before;
            lock (_lock)
            {
                ObjectDisposedException.ThrowIf(_disposed, this);
                if (_running.TryGetValue(key, out var running))
                {
                    before = running;
                }
                else if (!_moving.TryGetValue(key, out var other))
                {
                    // One of this silo takes a grain at a time: the row of a write that is not answered yet looks like one that the silo
                    // does not know of, and whoever took that for its own would have the late answer begin a tenancy that has ended.
                    moving = OnHome(() => MoveHereAsync(key, from, tenancy));
                    _moving.Add(key, moving);
                    break;
                }
                else
                {
                    before = other;
                }
            }

            await Patience.EndAsync(before.WaitAsync(cancellationToken));
            cancellationToken.ThrowIfCancellationRequested();
        }

        return await moving.WaitAsync(cancellationToken);
    }

    /// <summary>The epoch of the tenancy under which this silo lets the grain's instance run. Null when it lets none.</summary>
    public long? TenancyOf(GrainKey key) => _tenancies.Of(key)?.Row.Epoch;

    /// <summary>The instance of a grain has ended: its row is nobody's from then on, where the store answers.</summary>
    public async ValueTask ReleaseAsync(GrainKey key, string node, long? tenancy = null)
    {
        if (_tenancies.Of(key) is { } present && (tenancy is null || present.Row.Epoch == tenancy) && _tenancies.End(key, present)
            && !present.Lease.Lease.IsFenced)
        {
            // What becomes of it matters to the next owner alone: this silo, or one that waits for its lease to be over.
            var released = await _store.WriteAsync(
                OwnerRow.KeyOf(key), present.Released.Encode(), present.ETag, _lifetime.Token);
            if (released.Outcome == StoreWriteOutcome.Applied && present.Heir.IsNone)
            {
                _moves.Note(key, MoveKind.Released, _moves.Here(Node), default, "Its instance has ended.");
            }
        }
    }

    /// <summary>The instance of a grain has left this silo for another one, which has taken the row (<see cref="MoveAsync"/>).</summary>
    public void Leave(GrainKey key, long tenancy)
    {
        if (_tenancies.Of(key) is { } present && present.Row.Epoch == tenancy)
        {
            _tenancies.End(key, present);
        }
    }

    /// <summary>
    /// A call that was carried to another cluster found no instance there, or did not reach it: drops the hint that sent it. The next
    /// acquisition waits for the owner to renew its lease, where the cluster answers, or else to be linked again; or for its lease's end.
    /// </summary>
    public void ForgetCached(GrainKey key, ClusterId stale)
    {
        if (_hints.TryGet(key, out var hint) && hint.Cluster == stale)
        {
            if (_messenger.IsLinked(stale))
            {
                _missed.Note(key, hint);
            }
            else
            {
                _missed.NoteUnreached(key, hint);
            }
        }

        _hints.Remove(key, stale);
    }

    /// <summary>The lease under which this silo has found a grain in another cluster; null where it has not.</summary>
    public string? LeaseOf(GrainKey key, ClusterId cluster) =>
        _hints.TryGet(key, out var hint) && hint.Cluster == cluster ? hint.Node : null;

    /// <summary>Ends when this silo knows a lease to be over; null where it waits for too many.</summary>
    public Task? EndOf(string lease) => _others.EndOf(lease);

    /// <summary>
    /// Goes once through what this silo has and gives it up, and counts what its cluster has: of a cluster that may own nothing any more.
    /// </summary>
    /// <exception cref="GeoUnavailableException">No majority answers.</exception>
    public Task<DrainPass> DrainAsync(CancellationToken cancellationToken) => _drain.RunAsync(cancellationToken);

    /// <summary>
    /// Ends, and gives the lease back, so that nobody waits for it: call it after the last instance has ended. Rows of instances that were
    /// not released can be taken over at once.
    /// </summary>
    public async ValueTask LeaveAsync()
    {
        await DisposeAsync();
        await _own.LeaveAsync(CancellationToken.None);
    }

    /// <summary>Renews the lease no more, which runs out: instances may still run until then.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, true))
        {
            return;
        }

        Task[] ending;
        lock (_lock)
        {
            ending = [.. _loops, .. _running.Values, .. _moving.Values];
        }

        _service?.Dispose();
        _siblings?.Dispose();
        _lifetime.Cancel();
        foreach (var task in ending)
        {
            await Patience.EndAsync(task);
        }
    }

    private Placement Here => new(PlacementKind.Here, _messenger.LocalCluster, Node);

    private Task<Placement> Join(GrainKey key)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (!_running.TryGetValue(key, out var running))
            {
                CheckRoom(key);
                running = OnHome(() => RunAsync(key));
                _running.Add(key, running);
            }

            return running;
        }
    }

    /// <summary>
    /// Takes a grain for a cluster that may own nothing: by the row, which the giver has seen to be nobody's. A hint would say who had it
    /// before, and the giver would look at the same row again.
    /// </summary>
    /// <exception cref="GeoUnavailableException">It is not served here, or no cluster that may own it has come to have it.</exception>
    private async Task TakeAsync(GrainKey key, CancellationToken cancellationToken)
    {
        if (_surroundings.Serves?.Invoke(key) == false)
        {
            throw new GeoUnavailableException($"Grain '{key}' is not taken: silo '{Node}' does not serve its class.");
        }

        if (_tenancies.Of(key) is { MayBegin: true })
        {
            return;
        }

        if (_losing.ContainsKey(key))
        {
            // All clusters' calls would come to an instance that takes none any more.
            throw new GeoUnavailableException(
                $"Grain '{key}' is not taken: its instance on silo '{Node}', whose lease was lost, has not ended yet.");
        }

        _hints.Remove(key);
        var placement = await Join(key).WaitAsync(cancellationToken);
        if (!_surroundings.MayOwn(placement.Cluster))
        {
            throw new GeoUnavailableException($"Grain '{key}' is not taken: cluster '{placement.Cluster}' has it, which may own nothing.");
        }

        if (placement.Kind == PlacementKind.Here && placement.Node == Node && _tenancies.Of(key) is { } taken)
        {
            GiveUpUnused(key, taken.Row.Epoch);
        }
    }

    /// <summary>Gives a tenancy up that nobody has used when some time has passed.</summary>
    private void GiveUpUnused(GrainKey key, long epoch) => _ = OnHome(() => _unused.WaitAsync(key, epoch, _lifetime.Token));

    /// <summary>Releases a grain under whose tenancy no instance runs: there is one before it acquires its grain.</summary>
    private async ValueTask GiveUpUnusedAsync(GrainKey key, long epoch, CancellationToken cancellationToken)
    {
        if (_instances.Has(key) || _tenancies.Of(key) is not { } tenancy || tenancy.Row.Epoch != epoch || !tenancy.TryHoldBack())
        {
            return;
        }

        if (_instances.Has(key))
        {
            tenancy.LetBegin();
            return;
        }

        await ReleaseAsync(key, Node, epoch);
    }

    private void CheckRoom(GrainKey key)
    {
        var full = _running.Count >= _limits.MaxAcquisitions
            ? $"{_limits.MaxAcquisitions} grains are being placed by this silo already (MaxAcquisitions)"
            : _tenancies.Count >= _limits.MaxHeldRows ? $"this silo has {_limits.MaxHeldRows} grains already (MaxHeldRows)" : null;
        if (full is not null)
        {
            _metrics.Refused("acquisitions");
            throw new GeoUnavailableException($"Grain '{key}' cannot be placed: {full}. Try again when there is room, or raise the limit.");
        }
    }

    private async Task<long?> MoveHereAsync(GrainKey key, string from, long? tenancy)
    {
        try
        {
            var moved = await _acquisition.MoveAsync(key, from, tenancy, _lifetime.Token);
            if (moved is { } begun && !_instances.Has(key))
            {
                // What was to go on here has ended meanwhile.
                GiveUpUnused(key, begun);
            }

            return moved;
        }
        finally
        {
            lock (_lock)
            {
                _moving.Remove(key);
            }
        }
    }

    private async Task<Placement> RunAsync(GrainKey key)
    {
        try
        {
            Task<long?>? moving;
            lock (_lock)
            {
                moving = _moving.GetValueOrDefault(key);
            }

            if (moving is not null)
            {
                await Patience.EndAsync(moving);
            }

            var placement = await _acquisition.RunAsync(key, _lifetime.Token);
            if (placement.Kind == PlacementKind.Elsewhere)
            {
                // Its node is the lease there, by which the hint ends.
                _hints.Set(key, placement);
                if (_others.IsKnownOver(placement.Node!))
                {
                    _hints.Remove(key);
                }
            }

            return placement;
        }
        finally
        {
            lock (_lock)
            {
                _running.Remove(key);
            }
        }
    }

    /// <summary>What ran under a lease that is over ends; it serves nobody already.</summary>
    private async Task EndAsync(OwnLease.Held lease)
    {
        await Task.WhenAll(_tenancies.EndAll(lease).Select(EndInstanceAsync));

        async Task EndInstanceAsync(GrainKey key)
        {
            _moves.Note(key, MoveKind.Lost, _moves.Here(Node), default, $"The lease {lease.Name} is over.");
            _losing[key] = lease;
            try
            {
                await _instances.LoseAsync(key, $"the lease {lease.Name} is over: another silo may have taken the grain over");
            }
            catch (Exception e)
            {
                _logger.InstanceNotEnded(key, e);
            }
            finally
            {
                _losing.TryRemove(new(key, lease));
            }
        }
    }

    /// <summary>True while this silo takes a grain: its row may be this silo's already, and nobody here has heard of it.</summary>
    private bool IsUnderWay(GrainKey key)
    {
        lock (_lock)
        {
            return _running.ContainsKey(key) || _moving.ContainsKey(key);
        }
    }

    private void ForgetAll(string lease)
    {
        var keys = _hints.ToArray().Where(hint => hint.Placement.Node == lease).Select(hint => hint.Key).ToList();
        keys.ForEach(key => _hints.Remove(key));
        if (_others.IsEndedByAnother(lease))
        {
            _missed.NoteWanted(keys);
        }
    }

    private Task OnHome(Func<Task> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, Home).Unwrap();

    private Task<T> OnHome<T>(Func<Task<T>> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, Home).Unwrap();

    private TaskScheduler Home =>
        _home ?? throw new InvalidOperationException("The directory by majority is not started; call Start first.");
}
