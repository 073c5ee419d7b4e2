using Microsoft.Extensions.Logging;

namespace Geo.Consistency.Lattices;

/// <summary>
/// The replica of a silo's coordination-free grains: <see cref="LatticeNode"/> with a lock, a clock and a messenger. One per silo;
/// thread-safe.
/// </summary>
internal sealed class LatticeExchange : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, LatticeClass> _classes = new(StringComparer.Ordinal);
    private readonly LatticePost _post;
    private readonly TimeProvider _time;
    private readonly LatticeOptions _options;
    private readonly ILogger _logger;
    private readonly LatticeNode _node;
    private readonly LatticeStorage _storage;
    private readonly LatticeWaits _waits;
    private readonly LatticeDeparture _departure;
    private readonly ITimer _timer;
    private readonly long _start;
    private TimeSpan _timerAt = TimeSpan.MaxValue;
    private bool _isDisposed;

    /// <summary>Makes a replica that has nothing yet.</summary>
    /// <param name="messenger">Carries the messages.</param>
    /// <param name="clusters">The clusters of the present configuration; the local one may be among them.</param>
    /// <param name="time">The clock of epochs, waits and stamps.</param>
    /// <param name="random">Draws the replica's identity: never the same twice in a multi-cluster.</param>
    /// <param name="logger">Hears of what cannot be merged.</param>
    /// <param name="options">Limits and times.</param>
    /// <param name="siblings">The other silos of the cluster; null for a silo that is its cluster.</param>
    /// <param name="group">Whose grains it has.</param>
    internal LatticeExchange(
        IClusterMessenger messenger, Func<IReadOnlyList<ClusterId>> clusters, TimeProvider time, Random random, ILogger logger,
        LatticeOptions options, LatticeSiblings? siblings = null, LatticeGroup group = default)
    {
        (_time, _logger, _options, _start) = (time, logger, options, time.GetTimestamp());
        var id = new ReplicaId((ulong)random.NextInt64(1, long.MaxValue));
        var placement = new LatticePlacement(messenger.LocalCluster, clusters, options.LeavingClusters);
        _node = new(
            id, time, options, name => _classes.GetValueOrDefault(name),
            () =>
            [
                .. placement.HoldersOf(group).Where(c => c != messenger.LocalCluster).Select(c => new LatticeAddress(c)),
                .. siblings?.Addresses ?? [],
            ],
            group.Domain, () => placement.IsHere(group), () => placement.MayVisit(group));
        _node.Repair.LacksRoom = () => LatticeLog.LacksRoom(_logger, options.MaxHeldBytes);
        _node.Data.Quarantined = q => LatticeLog.Quarantined(_logger, q.Grain, q.From, q.Reason);
        _storage = new(messenger.LocalCluster, group, _node.Data, _node.Repair, time, logger, () => _node.Peers.IsHolder, Do);
        _waits = new(_node, options, () => IsLoaded, a => _post!.IsReachable(a));
        _departure = new(_node, _waits, _storage, new LatticeKeepers(_node, a => _post!.IsReachable(a), siblings), Do);
        _timer = time.CreateTimer(static self => ((LatticeExchange)self!).Wake(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _post = new(
            messenger, siblings, group, Receive, c => Do(now => _node.LinkUp(c, now)), c => Do(now => _node.LinkDown(c, now)));
    }

    /// <summary>The state machine, for tests; to be used within <see cref="Run"/>.</summary>
    internal LatticeNode Node => _node;

    private TimeSpan Now => _time.GetElapsedTime(_start);

    /// <summary>True once all that was stored is read.</summary>
    internal bool IsLoaded => _storage.Loading == 0;

    /// <summary>True until it is disposed of.</summary>
    internal bool IsServing => !Volatile.Read(ref _isDisposed);

    /// <summary>True while it lacks, or has not handed over, what moves between clusters.</summary>
    internal bool IsMoving => !IsLoaded || Get(static node => node.IsMoving);

    /// <summary>Takes part though this cluster has no replica by the present configuration: the part is hot here.</summary>
    internal void Visit() => Do(_ => _node.Guest.Visit());

    /// <summary>It is not any more.</summary>
    internal void Cool() => Do(_ => _node.Guest.Cool());

    /// <summary>True while it takes part for that.</summary>
    internal bool IsVisiting => Get(static node => node.Guest.TakesPart);

    /// <summary>True once it has taken part for that.</summary>
    internal bool HasVisited => Get(static node => node.Guest.IsOne);

    /// <summary>True while calls are to be served here for that.</summary>
    internal bool ServesAsGuest => Get(static node => node.Guest.Serves);

    /// <summary>How many grains have changes that their store lacks.</summary>
    internal int Unsaved => _storage.Saves.Dirty;

    /// <summary>What other clusters have not acknowledged.</summary>
    internal IReadOnlyList<LatticeLag> Lags()
    {
        lock (_gate)
        {
            return [.. _node.Lags(Now)];
        }
    }

    /// <summary>How many grains there are, how many of them are empty, and how many their store lacks something of.</summary>
    internal (int Grains, int Empty, int Unsaved) Counts()
    {
        lock (_gate)
        {
            return (_node.Data.Cells.Count, _node.Data.Empty, _storage.Saves.Dirty);
        }
    }

    /// <summary>Makes a class of grains known, whose updates of other clusters can then be merged.</summary>
    /// <param name="latticeClass">The class.</param>
    /// <param name="store">Keeps its states; null for memory alone.</param>
    internal void Add(LatticeClass latticeClass, IConditionalStore? store = null)
    {
        lock (_gate)
        {
            _classes.Add(latticeClass.Name, latticeClass);
            if (store is not null)
            {
                _storage.Add(latticeClass, store);
                _node.Data.Changed = cell => _storage.Changed(cell, Now);
            }
        }
    }

    /// <summary>Begins to read what is stored and to talk to the other clusters, once all classes are known.</summary>
    internal void Start()
    {
        LatticeGauges.Watch(this);
        _storage.Start();
        Wake();
    }

    /// <summary>Opens a grain of a class that was added.</summary>
    /// <exception cref="GeoUnavailableException">There are as many as may be.</exception>
    internal LatticeHandle<T> Open<T>(GrainKey key)
        where T : ILattice<T>
    {
        lock (_gate)
        {
            return new(this, Cell<T>(key), _options.MaxWaiters);
        }
    }

    /// <summary>Waits until updates made to a grain here are known in so many of the clusters that have it by the configuration.</summary>
    /// <exception cref="GeoUnavailableException">As many wait as may.</exception>
    /// <exception cref="OperationCanceledException">The wait was given up; the updates stay, and go on their way.</exception>
    internal Task KnownInAsync(LatticeCell cell, int clusters, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            return _waits.KnownInAsync(cell, clusters, cancellationToken);
        }
    }

    /// <summary>Waits until these updates are here, and, where they are not all that is meant, the replica has joined the others.</summary>
    /// <exception cref="GeoUnavailableException">As many wait as may.</exception>
    /// <exception cref="OperationCanceledException">The wait was given up.</exception>
    internal Task AppliedAsync(VectorClock wanted, bool isWhole, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            return _waits.AppliedAsync(wanted, isWhole, cancellationToken);
        }
    }

    /// <inheritdoc cref="LatticePeers.Clusters"/>
    internal int Clusters => Get(static node => node.Peers.Clusters);

    /// <summary>Limits and times.</summary>
    internal LatticeOptions Options => _options;

    /// <summary>The place of a grain of a class that was added; to be used within <see cref="Run"/>.</summary>
    /// <exception cref="GeoConfigurationException">The class has another lattice.</exception>
    /// <exception cref="GeoUnavailableException">There are as many grains as may be.</exception>
    internal LatticeCell<T> Cell<T>(GrainKey key)
        where T : ILattice<T> =>
        _node.Data.Open(key, _classes[key.Type]) as LatticeCell<T>
            ?? throw new GeoConfigurationException($"The state of {key} is of another lattice than {T.TypeName}.");

    /// <inheritdoc cref="LatticeData.NewPreview"/>
    internal LatticeOrigin NewPreview() => Get(static node => node.Data.NewPreview());

    /// <summary>Waits until the updates made to a grain here are stored.</summary>
    /// <exception cref="InvalidOperationException">Its class has no store.</exception>
    /// <exception cref="GeoUnavailableException">As many wait as may.</exception>
    /// <exception cref="GeoStorageException">The store refuses the state.</exception>
    /// <exception cref="OperationCanceledException">The wait was given up; the updates stay, and are stored later.</exception>
    internal Task DurableAsync(LatticeCell cell, CancellationToken cancellationToken)
    {
        var durable = Task.CompletedTask;
        Do(now => durable = _storage.SavedAsync(cell, now, cancellationToken));
        return durable;
    }

    /// <summary>
    /// Waits until what is stored is read, and all that the others had when they were asked is here; those that do not answer within
    /// <see cref="LatticeOptions.RetryAfter"/> are not waited for.
    /// </summary>
    /// <exception cref="GeoUnavailableException">As many wait as may.</exception>
    /// <exception cref="OperationCanceledException">The wait was given up.</exception>
    internal Task PullAsync(CancellationToken cancellationToken)
    {
        Task pulled = new Completion<bool>(cancellationToken).Task;
        Do(now => pulled = _waits.PullAsync(now, cancellationToken));
        return pulled;
    }

    public void Dispose()
    {
        _storage.Dispose();
        _post.Dispose();
        lock (_gate)
        {
            _isDisposed = true;
        }

        _timer.Dispose();
    }

    /// <summary>The clock of epochs, waits and stamps.</summary>
    internal TimeProvider Time => _time;

    /// <summary>Reads a grain for a session.</summary>
    internal T Read<T>(GrainKey grain, SessionPast? session)
        where T : ILattice<T>
    {
        lock (_gate)
        {
            var cell = Cell<T>(grain);
            if (session is not null)
            {
                session.HasRead(cell);
                _node.Data.CheckLacksNothing(cell);
            }

            return cell.State;
        }
    }

    /// <summary>Reads a grain, and the time of its latest stamp where that is too far ahead to move the clock.</summary>
    internal (T State, ulong Ahead) Read<T>(GrainKey grain)
        where T : ILattice<T>
    {
        lock (_gate)
        {
            var cell = Cell<T>(grain);
            return (cell.State, cell.Ahead);
        }
    }

    /// <summary>Updates a grain for a session.</summary>
    internal void Update<T>(
        GrainKey grain, Func<T, LatticeOrigin, T> change, SessionPast? session = null, TransactionStamp? stamp = null)
        where T : ILattice<T>
    {
        lock (_gate)
        {
            var cell = Cell<T>(grain);
            if (session is not null)
            {
                _node.Data.CheckLacksNothing(cell);
            }

            Update(cell, change, session?.Follows(cell), stamp);
            session?.HasWritten(_node.Data.Last);
        }
    }

    /// <summary>What another replica is told of a session.</summary>
    internal LatticeMarks Marks(SessionPast session)
    {
        lock (_gate)
        {
            return session.Marks(_node);
        }
    }

    /// <summary>Moves the clock of the stamps behind one that a session has seen.</summary>
    /// <returns>False when that is too far ahead.</returns>
    internal bool TrySee(ulong time)
    {
        lock (_gate)
        {
            return _node.Data.Clock.TrySee(new Stamp(time, _node.Data.Id));
        }
    }

    internal T Read<T>(LatticeCell<T> cell)
        where T : ILattice<T>
    {
        lock (_gate)
        {
            return cell.State;
        }
    }

    /// <param name="cell">The grain.</param>
    /// <param name="change">Gives the delta.</param>
    /// <param name="follows">What is shown here, and is to be shown before everywhere; null for nothing.</param>
    /// <param name="stamp">The stamps of its transaction; null for none.</param>
    internal void Update<T>(
        LatticeCell<T> cell, Func<T, LatticeOrigin, T> change, VectorClock? follows = null, TransactionStamp? stamp = null)
        where T : ILattice<T>
    {
        lock (_gate)
        {
            // Without a session it is one of this call, which has read the grain.
            follows ??= cell.Class.FollowsReads ? cell.SeenOfOthers : null;
            if (_node.Update(cell, change, Now, follows, stamp))
            {
                LatticeMetrics.Updates.Add(1);
                SetTimer(_node.UpdatesDueAt);
                SetTimer(_storage.Saves.DueAt);
            }
        }
    }

    /// <summary>
    /// Sends what is not acknowledged and stores what is not stored, and waits until every other silo of the cluster, every cluster that
    /// has a link and every store has it; to be awaited before the silo stops. Where no other replica has it, links that are down are
    /// waited for, too, three times <see cref="LatticeOptions.RetryAfter"/>. Rights to bounded counters go to a replica that lives and
    /// does not stop. What is neither acknowledged nor stored when the wait is given up may be lost.
    /// </summary>
    /// <exception cref="OperationCanceledException">The wait was given up.</exception>
    internal Task LeaveAsync(CancellationToken cancellationToken) => _departure.LeaveAsync(cancellationToken);

    /// <summary>Runs something under the lock.</summary>
    internal void Run(Action action)
    {
        lock (_gate)
        {
            action();
        }
    }

    private T Get<T>(Func<LatticeNode, T> what)
    {
        lock (_gate)
        {
            return what(_node);
        }
    }

    private void Receive(LatticeAddress from, ReadOnlyMemory<byte> message)
    {
        try
        {
            Do(now => _node.Receive(from, message.Span, now));
        }
        catch (GeoSerializationException e)
        {
            LatticeLog.Unreadable(_logger, e, from.Cluster);
        }
    }

    private void Wake() => Do(static _ => { });

    private void Do(Action<TimeSpan> action)
    {
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            try
            {
                action(Now);
            }
            finally
            {
                _node.Step(Now);
                // A message may come while the way back is still being made.
                _post?.Send(_node.TakeOutput());
                _waits.Settle(Now);
                _storage.Begin(Now);
                _timerAt = TimeSpan.MaxValue;
                SetTimer(_node.DueAt(Now));
                SetTimer(_waits.DueAt(Now));
                SetTimer(_storage.Saves.DueAt);
            }
        }
    }

    private void SetTimer(TimeSpan? dueAt)
    {
        if (dueAt is { } due && due < _timerAt)
        {
            _timerAt = due;
            _timer.Change(LongestWait.Clamp(due - Now), Timeout.InfiniteTimeSpan);
        }
    }
}
