// Longer than most: what a host asks of the directory, each for the part that does it, and what of it begins and ends together.
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// The directory of single-instance grains of one cluster, coordinated with the other clusters by the global single instance protocol
/// (GEO sections 3.1 to 3.3). Every silo of the cluster has one, over the same rows.
/// </summary>
/// <remarks>
/// <para>
/// Guarantees: at most one cluster has a grain's row in the state Owned, whatever messages or store outcomes are lost, late or unknown
/// (Proposition 3.1); while no message is lost, at most one cluster has it Owned or Doubtful (Proposition 3.2).
/// </para>
/// <para>
/// Safe to use from several threads. Rounds and the resolver run on the scheduler (or synchronization context) on which
/// <see cref="Start"/> is called, whoever waits for them.
/// </para>
/// </remarks>
internal sealed class GlobalDirectory : IInstanceDirectory, IAsyncDisposable
{
    /// <summary>The prefix of the directory's rows in the store; the rest of a row's key is the grain key.</summary>
    public const string RowPrefix = "gsi/";

    private const string RowTurnKey = "gsi-scan";
    private const string IndexTurnKey = "gsd-scan";

    private readonly IClusterMessenger _messenger;
    private readonly ILocalInstances _instances;
    private readonly DirectoryMetrics _metrics;
    private readonly LiveConfiguration _configuration;
    private readonly DirectoryTable _table;
    private readonly AbsentRows _absent;
    private readonly RequestProcessing _processing;
    private readonly Acquisition _acquisition;
    private readonly SharedAcquisitions _acquisitions;
    private readonly FreshLooks _freshLooks;
    private readonly Releases _releases;
    private readonly UnusedArrivals _unused;

    // Bounded by the moves of this cluster at a time.
    private readonly Dictionary<GrainKey, Task<RowRead>> _onTheirWay = [];
    private readonly ClusterReach _reach;
    private readonly DoubtfulResolver _resolver;
    private readonly RowScan _scan;
    private readonly Drain _drain;
    private readonly ScanLoop _indexLoop;
    private readonly ScanLoop _rowLoop;
    private readonly CancellationTokenSource _lifetime = new();
    private TaskScheduler? _home;
    private IDisposable? _service;
    private Task[] _loops = [];
    private bool _disposed;

    /// <summary>Creates a directory; nothing happens before <see cref="Start"/>.</summary>
    /// <param name="options">Limits and waits.</param>
    /// <param name="messenger">The way to the other clusters; it names the local one.</param>
    /// <param name="rows">The store of the rows, shared by the silos of this cluster and by no other cluster.</param>
    /// <param name="configuration">The clusters of the multi-cluster, the local one included.</param>
    /// <param name="instances">The host.</param>
    /// <param name="time">The clock; a row's deadline is compared between the silos of the cluster, which only liveness depends on.</param>
    /// <param name="random">Round ids and jitter; no two silos may be given the same seed.</param>
    /// <param name="logger">The log.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range, or the configuration lacks the local cluster.</exception>
    public GlobalDirectory(
        GlobalDirectoryOptions options, IClusterMessenger messenger, IConditionalStore rows, MultiClusterConfiguration configuration,
        ILocalInstances instances, TimeProvider time, Random random, ILogger<GlobalDirectory> logger)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(messenger);
        ArgumentNullException.ThrowIfNull(rows);
        ArgumentNullException.ThrowIfNull(configuration);
        ArgumentNullException.ThrowIfNull(instances);
        ArgumentNullException.ThrowIfNull(time);
        ArgumentNullException.ThrowIfNull(random);
        ArgumentNullException.ThrowIfNull(logger);
        options.Check(messenger.LocalCluster, configuration);

        (_messenger, _instances, Options, Time) = (messenger, instances, options, time);
        _configuration = new(messenger.LocalCluster, configuration);
        var draws = new Draws(random);
        DoubtfulKeys? doubtful = null;
        _metrics = new DirectoryMetrics(messenger.LocalCluster, () => doubtful?.Status ?? default);
        doubtful = new DoubtfulKeys(options.MaxDoubtfulKeys, time, () => _metrics.Refused("doubtful keys"));
        var bounds = new StoreBounds(options.StoreTimeout, options.MaxAbandonedOperations)
        {
            TimedOut = () => _metrics.BoundHit("store"),
            Refused = () => _metrics.Refused("store operations"),
        };
        var store = new BoundedStore(rows, bounds, time, logger);
        var damaged = new DamagedRows(_metrics, logger);
        _table = new DirectoryTable(
            messenger.LocalCluster, _configuration, new DirectoryRows(store, options, time, _metrics, damaged), instances, options,
            time, doubtful, Moves = new(messenger.LocalCluster, options.JournalSize, time), _metrics, logger);
        _reach = new ClusterReach(messenger, _configuration.Others, time);
        var requests = new RoundRequests(messenger, _reach, _configuration, options, time, _metrics, logger);
        var deactivations = new Deactivations(instances, options, time, _metrics, logger);
        var index = new DoubtfulIndex(store, _metrics);
        var notices = new Notices(messenger, _configuration, options, time);
        var rounds = new Rounds(
            _table, index, requests, _configuration, notices, deactivations, draws, options, time, _metrics, logger);
        _releases = new Releases(
            _table, instances, (key, action) => _acquisitions!.WhileNone(key, action), notices.TellReleased, logger);
        _processing = new RequestProcessing(
            _table, _configuration, TakeAsync, instances, _releases, notices.TellReleased, options, time, _metrics, logger);
        _freshLooks = new FreshLooks(_table, requests, _reach, _configuration, draws, options, time, _metrics, OnHome, _lifetime.Token);
        _absent = new AbsentRows(options.MaxAcquisitions);
        _acquisition = new Acquisition(_table, rounds, draws, options, time, logger);
        _acquisitions = new SharedAcquisitions(_acquisition, _table, options, _metrics, OnHome, _lifetime.Token);
        _resolver = new DoubtfulResolver(_table, rounds, draws, options, time, logger);
        deactivations.EndedLate += _resolver.Wake;
        Administration = new DirectoryAdministration(
            _table, _resolver, deactivations, draws, _configuration, requests, notices.TellReleased,
            (key, to, token) => notices.GiveAsync(key, to, SingleInstanceMode.Pessimistic, token), options, time);
        _drain = new Drain(_table, Administration, notices.TellReleased, instances, options, time, logger);
        _scan = new RowScan(
            _table, index, notices.TellReleased, new GoneNodes(options, time), damaged, options, time, _metrics);
        _indexLoop = new ScanLoop(
            "scan of the index", new ScanTurn(IndexTurnKey, store, options, time), ScanIndexAsync, options, time, logger);
        _rowLoop = new ScanLoop(
            "scan of the rows", new ScanTurn(RowTurnKey, store, options, time), _scan.ScanRowsAsync, options, time, logger);
        _unused = new UnusedArrivals(
            options.MaxHeldRows, async (key, tenancy, token) => await _releases.UsesAsync(key, tenancy, token),
            (key, e) => logger.LoopFailed($"give up of {key}, which is not used", e), time);
    }

    /// <summary>What an operator may ask of the directory.</summary>
    public IGeoAdministration Administration { get; }

    /// <summary>The cluster of this silo.</summary>
    public ClusterId LocalCluster => _table.Local;

    /// <summary>The clusters that this directory coordinates with: C_n.</summary>
    public MultiClusterConfiguration Configuration => _configuration.Present;

    /// <summary>
    /// Works with a later version of the configuration from here on: rounds that ask nobody yet, and answers. A cluster that has gone is
    /// pointed at no more (rule C9).
    /// </summary>
    /// <exception cref="GeoConfigurationException">It lacks this cluster.</exception>
    internal void Process(MultiClusterConfiguration next)
    {
        if (_configuration.Process(next))
        {
            _table.ForgetHintsBut(next);
        }
    }

    /// <summary>Raised when another silo works with a later version of the configuration. A hint: it may come late, or never.</summary>
    internal event Action? Behind
    {
        add => _configuration.Behind += value;
        remove => _configuration.Behind -= value;
    }

    /// <summary>Whether this silo serves a grain's class: it takes no other grain for another cluster. Null where it serves all.</summary>
    public Func<GrainKey, bool>? Serves { get; init; }

    /// <summary>Raised when this silo has taken a grain that another cluster has moved here, or given for a call.</summary>
    internal event Action<GrainKey>? Arrived;

    /// <summary>
    /// Goes through the rows once and gives up what this silo has, and what is nobody's: of a cluster that may own nothing (rule C8).
    /// </summary>
    /// <returns>How many rows there were that count, and why one of them stays.</returns>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    internal Task<DrainPass> DrainAsync(CancellationToken cancellationToken) => _drain.RunAsync(cancellationToken);

    /// <summary>The Doubtful rows that this silo knows of.</summary>
    internal DoubtfulStatus Doubtful => _table.Doubtful.Status;

    internal GlobalDirectoryOptions Options { get; }

    internal TimeProvider Time { get; }

    /// <summary>What this silo has done to where grains are.</summary>
    internal MoveJournal Moves { get; }

    /// <summary>The meter of this cluster's directories.</summary>
    internal DirectoryMetrics Metrics => _metrics;

    /// <summary>
    /// Starts to answer other clusters (service "geo.gsi") and to try Doubtful rows again. All background work runs on the caller's
    /// synchronization context or task scheduler.
    /// </summary>
    /// <exception cref="InvalidOperationException">It was started before, or the messenger has a directory already.</exception>
    public void Start()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_home is not null)
        {
            throw new InvalidOperationException($"The directory of cluster '{_table.Local}' was started before; start it once.");
        }

        _service = _messenger.Handle(RoundRequests.Service, _processing.HandleAsync);
        _home = SynchronizationContext.Current is null ? TaskScheduler.Current : TaskScheduler.FromCurrentSynchronizationContext();
        _messenger.LinkUp += OnLinkUp;
        _indexLoop.Wake();
        _loops =
        [
            OnHome(() => _resolver.RunAsync(_lifetime.Token)),
            OnHome(() => _indexLoop.RunAsync(_lifetime.Token)),
            OnHome(() => _rowLoop.RunAsync(_lifetime.Token)),
        ];
    }

    /// <summary>
    /// Finds out where the instance of a grain is, and acquires the grain for this cluster if it is nowhere: one inter-cluster round trip
    /// for the first call, none afterwards.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="node">The node of this cluster that asks, where the instance would run.</param>
    /// <param name="mode">What to do while another cluster does not answer; the same for all calls about a grain.</param>
    /// <param name="cancellationToken">Ends the wait; the round goes on, for others wait for it too.</param>
    /// <returns>
    /// Here, with the node on which an instance may run from now on, until <see cref="ReleaseAsync"/> is called for it or the directory
    /// deactivates it; or Elsewhere. Completes synchronously when this silo has a hint, or when the store answers
    /// synchronously and the row says that the instance is here. Calls for one grain at the same time share one round.
    /// </returns>
    /// <exception cref="GeoUnavailableException">
    /// Pessimistic and a cluster does not answer (at the latest after two request time-outs and the time of the store), contention outlasts
    /// <see cref="GlobalDirectoryOptions.AcquireTimeout"/>, the dead node that had the instance is not fenced off within
    /// <see cref="GlobalDirectoryOptions.TakeoverTimeout"/>, or the store of the rows does not answer, or the row is damaged.
    /// </exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled, or the directory was disposed meanwhile.</exception>
    public ValueTask<Placement> AcquireAsync(
        GrainKey key, string node, SingleInstanceMode mode, CancellationToken cancellationToken = default)
    {
        Check(key, node);
        if (_table.TryGetHint(key, out var cached))
        {
            return new(cached);
        }

        var held = _table.Held(key);
        if (_absent.Take(key) && held is null)
        {
            return new(_acquisitions.Join(key, node, mode, StoreRead.NotFound).WaitAsync(cancellationToken));
        }

        var reading = _table.Rows.ReadOnceAsync(held?.RowKey ?? DirectoryRows.KeyOf(key), cancellationToken);
        if (!reading.IsCompletedSuccessfully)
        {
            return new(AcquireAfterReadAsync(reading, held, key, node, mode, cancellationToken));
        }

        var read = reading.Result;
        return TryGrant(read, held, key, node, mode) is { } granted
            ? new(granted)
            : new(_acquisitions.Join(key, node, mode, read).WaitAsync(cancellationToken));
    }

    /// <summary>Where the instance of a grain is as far as this cluster knows; asks no other cluster and changes nothing.</summary>
    /// <remarks>
    /// Elsewhere is this silo's own hint, perhaps older than a row that another silo of the cluster has written since. About a call that
    /// another cluster has sent, <see cref="FindHereAsync"/> is asked. While an instance here is ending for that of another cluster, the
    /// grain is there.
    /// </remarks>
    /// <returns>Null when this cluster does not know.</returns>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer, or the row is damaged.</exception>
    public async ValueTask<Placement?> LookupAsync(GrainKey key, CancellationToken cancellationToken = default)
    {
        Check(key);
        if (_table.TryGetHint(key, out var cached))
        {
            return cached;
        }

        var read = await _table.Rows.ReadAsync(DirectoryRows.KeyOf(key), cancellationToken);
        _absent.Note(key, read.Unknown is null && read.Row.ETag is null);
        return read.Unknown is null
            ? _table.Describe(read.Row.Entry) ?? _table.YieldsTo(key, read.Row.Entry)
            : throw NotLookedUp(key, read.Unknown);
    }

    /// <summary>
    /// Another silo of this cluster has just looked a grain up, and the host places it here because it was nowhere: the next
    /// <see cref="AcquireAsync"/> does not read the row again. Whether there still is none its first write finds out, or,
    /// in a cluster that joins or leaves and makes none, a read.
    /// </summary>
    public void NoteLookedUp(GrainKey key)
    {
        Check(key);
        _absent.Note(key, isAbsent: true);
    }

    /// <summary>
    /// Where in this cluster the instance of a grain is, by the rows alone. A hint of this silo that says otherwise is dropped.
    /// </summary>
    /// <returns>Null when it is not in this cluster.</returns>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer, or the row is damaged.</exception>
    public async ValueTask<Placement?> FindHereAsync(GrainKey key, CancellationToken cancellationToken = default)
    {
        Check(key);
        var read = await _table.Rows.ReadAsync(DirectoryRows.KeyOf(key), cancellationToken);
        if (IsOnItsWay(read))
        {
            // Who is told that it is not here would look for it, and take it, before the cluster to which it moves has.
            read = await SettledAsync(key).WaitAsync(cancellationToken);
        }

        if (read.Unknown is not null)
        {
            throw NotLookedUp(key, read.Unknown);
        }

        var here = _table.Describe(read.Row.Entry);
        if (here is not null)
        {
            _table.ForgetHint(key);
        }

        return here;
    }

    private bool IsOnItsWay(RowRead read) =>
        read.Unknown is null && read.Row.Entry.IsLeft(Time.GetUtcNow()) && _table.NodeOf(read.Row.Entry) == NodeState.Living;

    /// <summary>The row of a grain on its way to another cluster, when it has got there or not; one look for all who wait.</summary>
    private Task<RowRead> SettledAsync(GrainKey key)
    {
        lock (_onTheirWay)
        {
            if (!_onTheirWay.TryGetValue(key, out var settled))
            {
                _onTheirWay.Add(key, settled = OnHome(() => SettleAsync(key)));
            }

            return settled;
        }
    }

    private async Task<RowRead> SettleAsync(GrainKey key)
    {
        try
        {
            var started = Time.GetTimestamp();
            while (true)
            {
                await Task.Delay(Options.PollInterval, Time, _lifetime.Token);
                var read = await _table.Rows.ReadAsync(DirectoryRows.KeyOf(key), _lifetime.Token);
                if (!IsOnItsWay(read) || Time.GetElapsedTime(started) >= Options.TakeTimeout)
                {
                    return read;
                }
            }
        }
        finally
        {
            lock (_onTheirWay)
            {
                _onTheirWay.Remove(key);
            }
        }
    }

    /// <summary>
    /// Where the instance of a grain is that is remembered to be in a cluster out of reach, or that this cluster can place nowhere itself:
    /// by the rows of this cluster, and by the word of the clusters within reach, which are asked side by side. Where it is found is
    /// remembered in the place of what was.
    /// </summary>
    /// <remarks>
    /// Acquires nothing. A grain that all who were asked do not have is looked for again only when a
    /// <see cref="GlobalDirectoryOptions.RequestTimeout"/> has passed: for the latest <see cref="GlobalDirectoryOptions.MaxAcquisitions"/>
    /// of them at least, calls while the cluster is away cost next to nothing. Where the store of the rows or one of the clusters has no
    /// room or does not answer, that is so only for as long as the look took: one <see cref="GlobalDirectoryOptions.StoreTimeout"/> at
    /// most, or a request's and a quarter, whichever is longer. All clusters' looks together take at most a quarter of what a silo answers
    /// at once (<see cref="GlobalDirectoryOptions.MaxRequests"/>) where clusters have as many silos and the same settings; a grain that
    /// there is no room to look for is not looked for.
    /// </remarks>
    /// <param name="key">The grain.</param>
    /// <param name="lost">The cluster out of reach; none where it is not known where the grain is. Each such call looks again.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Null when nobody who answers has it: it may be in that cluster still.</returns>
    /// <exception cref="GeoUnavailableException">
    /// The store of the rows does not answer, or the row is damaged, or the directory has ended.
    /// </exception>
    public async ValueTask<Placement?> FindAnewAsync(GrainKey key, ClusterId lost = default, CancellationToken cancellationToken = default)
    {
        Check(key);
        return await _freshLooks.LookAsync(key, lost).WaitAsync(cancellationToken);
    }

    /// <summary>
    /// Keeps a grain for this cluster while its instance moves to this silo's node from another node of the cluster: the row names the new
    /// node from one write to the next, and no other cluster can come between.
    /// </summary>
    /// <remarks>
    /// Call it after the instance at <paramref name="from"/> has run its last call, and before the next one runs its first.
    /// </remarks>
    /// <returns>
    /// The tenancy under which the grain is this silo's, as <see cref="TenancyOf"/> says it. Null when the row is not that of the instance
    /// at <paramref name="from"/>, and nothing was changed: others may have had the grain since, and what has ended there knows nothing of
    /// what they did.
    /// </returns>
    /// <param name="key">The grain.</param>
    /// <param name="from">The node on which the instance ran.</param>
    /// <param name="to">The node of this silo.</param>
    /// <param name="tenancy">
    /// What <see cref="TenancyOf"/> said at <paramref name="from"/> when the instance had ended; null for any.
    /// </param>
    /// <param name="cancellationToken">Ends the wait; the row may still change.</param>
    /// <exception cref="GeoUnavailableException">
    /// The store of the rows does not answer, so that it is not known whether the row changed; or the row is damaged or keeps changing, and
    /// did not change to that node.
    /// </exception>
    public async ValueTask<long?> MoveAsync(
        GrainKey key, string from, string to, long? tenancy = null, CancellationToken cancellationToken = default)
    {
        Check(key, from);
        ArgumentException.ThrowIfNullOrEmpty(to);
        return await _acquisition.MoveAsync(key, from, to, tenancy, cancellationToken);
    }

    /// <summary>
    /// Names the tenancy under which this silo lets the grain's instance run: drawn anew with each. Null when it lets none.
    /// </summary>
    public long? TenancyOf(GrainKey key) => _table.Held(key)?.Epoch;

    /// <summary>
    /// The instance of a grain has ended: removes the row, if it still is this instance's, and tells the other clusters, best effort.
    /// </summary>
    /// <remarks>
    /// Call it after the instance has ended. An answer Here that was given for this node before the call is void: ask again before creating
    /// the next instance. When the store does not answer, the row is left; the next acquisition at the node takes it over.
    /// </remarks>
    /// <param name="key">The grain.</param>
    /// <param name="node">The node on which the instance ran.</param>
    /// <param name="tenancy">
    /// What <see cref="TenancyOf"/> said when the instance was let run, so that a late call leaves the next one alone; null for the tenancy
    /// under which this silo lets an instance run now, if it does.
    /// </param>
    public async ValueTask ReleaseAsync(GrainKey key, string node, long? tenancy = null)
    {
        Check(key, node);
        if ((tenancy ?? TenancyOf(key)) is { } ended)
        {
            await _releases.ReleaseAsync(key, node, ended, _lifetime.Token);
        }
    }

    /// <summary>
    /// Gives a tenancy of this silo up under which no instance runs, as of a grain that was taken for another cluster and not called since.
    /// </summary>
    internal ValueTask<TenancyUse> UsesAsync(GrainKey key, long tenancy) => _releases.UsesAsync(key, tenancy, _lifetime.Token);

    /// <summary>
    /// The instance of a grain has left this silo for another one of the cluster, which has moved the row (<see cref="MoveAsync"/>):
    /// forgets the tenancy, and stores nothing.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="tenancy">What <see cref="TenancyOf"/> said when the instance left; a later one is kept.</param>
    public void Leave(GrainKey key, long tenancy)
    {
        Check(key);
        _ = _table.LetGo(key, tenancy);
    }

    /// <summary>
    /// A call that was forwarded to another cluster found no instance there: drops this silo's hint that sent it. Where it was sent by a
    /// row whose instance ends for one there, the next acquisition asks the other clusters where the grain is.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="stale">The cluster that answered "not here"; a hint that names another one by now is kept.</param>
    public void ForgetCached(GrainKey key, ClusterId stale)
    {
        Check(key);
        _table.NoteNotAt(key, stale);
    }

    /// <summary>
    /// Scans all rows once, at <see cref="GlobalDirectoryOptions.ScanRowsPerSecond"/>: tries the Doubtful ones again, and puts in order
    /// what crashed silos left. Happens by itself, in one silo of the cluster, every <see cref="GlobalDirectoryOptions.ScanInterval"/>.
    /// </summary>
    /// <returns>How many Doubtful rows were settled, as Owned or by deactivating a duplicate.</returns>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    public async ValueTask<int> ResolveDoubtfulAsync(CancellationToken cancellationToken = default)
    {
        _ = Home;
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _lifetime.Token);
        await _scan.ScanIndexAsync(turn: null, either.Token);
        await _scan.ScanRowsAsync(turn: null, either.Token);
        return await _resolver.SettleAllAsync(either.Token);
    }

    /// <summary>Stops answering and resolving. Rounds under way are dropped; their rows are recovered later. The rows stay.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, true))
        {
            return;
        }

        Task[] ending = [.. _loops, .. _acquisitions.Close(), .. _freshLooks.Close()];
        _messenger.LinkUp -= OnLinkUp;
        _service?.Dispose();
        _reach.Dispose();
        _lifetime.Cancel();
        foreach (var task in ending)
        {
            // Whoever waits for it sees how it ends.
            await task.ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
        }

        _metrics.Dispose();
    }

    /// <summary>The process is gone, as a simulation lets it go: nothing runs any more, and only its meter would stay.</summary>
    internal void Abandon() => _metrics.Dispose();

    private TaskScheduler Home =>
        _home ?? throw new InvalidOperationException($"The directory of cluster '{_table.Local}' is not started; call Start first.");

    private static GeoUnavailableException NotLookedUp(GrainKey key, string why) =>
        new($"Grain '{key}' cannot be looked up: {why}.");

    private static void Check(GrainKey key, string node)
    {
        Check(key);
        ArgumentException.ThrowIfNullOrEmpty(node);
    }

    private static void Check(GrainKey key)
    {
        if (string.IsNullOrEmpty(key.Type) || key.Type.Contains('/', StringComparison.Ordinal) || key.Key is null)
        {
            throw new ArgumentException($"'{key}' does not name a grain: it needs a type without '/', and a key.", nameof(key));
        }
    }

    private Placement? TryGrant(StoreRead read, HeldRow? held, GrainKey key, string node, SingleInstanceMode mode)
    {
        // The row has not changed since this silo let an instance run under it: no need to decode it.
        var unchanged = held is not null && held.ETag is not null && held.ETag == read.ETag
            && held.Placement.Node == node && (held.IsOwned || mode == SingleInstanceMode.Optimistic)
            && _instances.StateOf(node) == NodeState.Living;
        if (unchanged)
        {
            return held!.Placement;
        }

        // Who reads a damaged row is told so by the acquisition.
        var (row, unknown, _) = _table.Rows.Read(held?.RowKey ?? DirectoryRows.KeyOf(key), read);
        return unknown is null ? _table.Grant(key, row, _table.Regard(row.Entry), node, mode) : null;
    }

    private async Task<Placement> AcquireAfterReadAsync(
        ValueTask<StoreRead> reading, HeldRow? held, GrainKey key, string node, SingleInstanceMode mode,
        CancellationToken cancellationToken) =>
        await reading is var read && TryGrant(read, held, key, node, mode) is { } granted
            ? granted
            : await _acquisitions.Join(key, node, mode, read).WaitAsync(cancellationToken);

    /// <summary>
    /// Another cluster's wish: of an operator, of which no optimistic instance comes, or for a call there, which counts as one here.
    /// </summary>
    private async Task<bool> TakeAsync(GrainKey key, SingleInstanceMode mode)
    {
        try
        {
            Check(key);

            if (Serves?.Invoke(key) == false)
            {
                return false;
            }

            // Who asks has found it nowhere just now, or has given it up: what this silo remembers is older. While an instance here ends
            // this cluster would look for another one to take it, perhaps the one that asks.
            _table.ForgetHint(key);
            var (rowKey, held) = (DirectoryRows.KeyOf(key), _table.Held(key));
            var read = await _table.Rows.ReadStoredAsync(rowKey, _lifetime.Token);
            var isHere = _table.Rows.Read(rowKey, read) is { Unknown: null, Row.Entry.IsYielding: false }
                && (await AcquireAfterReadAsync(new(read), held, key, _instances.Node, mode, _lifetime.Token)).Kind == PlacementKind.Here;
            if (isHere)
            {
                Arrived?.Invoke(key);
                if (TenancyOf(key) is { } tenancy)
                {
                    _ = OnHome(() => _unused.WaitAsync(key, tenancy, _lifetime.Token));
                }
            }

            return isHere;
        }
        catch (GeoUnavailableException)
        {
            return false;
        }
    }

    private void OnLinkUp(ClusterId cluster)
    {
        _resolver.Wake();
        _indexLoop.Wake();
    }

    private async Task ScanIndexAsync(ScanTurn turn, CancellationToken cancellationToken)
    {
        await _scan.ScanIndexAsync(turn, cancellationToken);
        _resolver.Wake();
    }

    private Task OnHome(Func<Task> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, Home).Unwrap();

    private Task<T> OnHome<T>(Func<Task<T>> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, Home).Unwrap();
}
