using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// One silo among the silos of its cluster: its own lease, the fences of others, and what they ask of each other. A host whose clusters
/// have one silo only does without.
/// </summary>
internal sealed class ClusterSilo : IAsyncDisposable
{
    // Of the store operations that end too late to be of use.
    private const int MaxAbandonedOperations = 100;

    private readonly TimeSpan _siblingTimeout;
    private readonly ISiloMembership _membership;
    private readonly ISiblings _siblings;
    private readonly SiloLease _lease;
    private readonly SiloFences _fences;
    private readonly ClusterListCheck _clusterLists;
    private readonly StoredConfiguration? _stored;
    private readonly ClusterIncarnation _incarnation;
    private readonly ClusterInstances _instances;
    private readonly OldFences _oldFences;
    private readonly LeaseWatch _watch;
    private readonly CancellationTokenSource _stopping = new();
    private Task _keeping = Task.CompletedTask;
    private SharedHints? _hints;
    private MoveHistory? _moves;
    private bool _disposed;

    public ClusterSilo(
        ClusterSiloOptions options, IConditionalStore rows, ISiloMembership membership, ISiblings siblings, IInstanceTable instances,
        TimeProvider time, ILogger logger, TimeProvider? leaseTime = null)
    {
        (_membership, _siblings, _siblingTimeout) = (membership, siblings, options.SiblingTimeout);
        var bounded = new BoundedStore(rows, new(options.LeaseDuration / 3, MaxAbandonedOperations), time, logger);
        var clusters = options.IsLive ? ClusterList.Live : ClusterList.Of(options.Clusters);
        _stored = options.IsLive ? null : new StoredConfiguration(bounded);
        _lease = new SiloLease(bounded, membership.Local, clusters, options.LeaseDuration, time, logger, leaseTime);
        _fences = new SiloFences(bounded, options.LeaseDuration, time, logger);
        var leases = new LiveLeases(bounded, membership, _fences);
        _clusterLists = new ClusterListCheck(leases, membership.Local, clusters);
        Versions = new LeaseVersions(leases, _lease);
        _oldFences = new OldFences(bounded, options.FenceRetention, time, logger);
        _watch = new LeaseWatch(bounded, membership, siblings, _lease, _fences, options.LeaseDuration, time, logger);
        _incarnation = new ClusterIncarnation(bounded, membership, siblings, _lease, options.SiblingTimeout, time, logger);
        Facts = new SiblingFacts(membership, siblings, options.SiblingTimeout);
        Liveness = new SiloLiveness(membership, _fences, _incarnation.IsUnheard);
        _instances = new ClusterInstances(membership.Local, Liveness, _incarnation, instances, siblings, options.DeactivationTimeout, time);
    }

    /// <summary>
    /// Raised once when this silo finds out that the cluster has declared it dead: it never serves a single-instance grain again, and its
    /// host is to be stopped.
    /// </summary>
    public event Action? Fenced
    {
        add => _lease.Fenced += value;
        remove => _lease.Fenced -= value;
    }

    /// <summary>The name of this silo.</summary>
    public string Local => _membership.Local;

    /// <summary>Whether this silo may serve single-instance grains; not before <see cref="StartAsync"/> has ended.</summary>
    public ILeaseGuard Guard => _lease;

    /// <summary>True when the cluster has declared this silo dead.</summary>
    public bool IsFenced => _lease.IsFenced;

    /// <summary>How old the lease is.</summary>
    public LeaseStatus Lease => _lease.Status;

    /// <summary>What the silos of the cluster must have in common.</summary>
    public SiblingFacts Facts { get; }

    /// <summary>Which versions of the live configuration the silos have processed.</summary>
    public ISiloVersions Versions { get; }

    /// <summary>Who lives in this cluster.</summary>
    public SiloLiveness Liveness { get; }

    /// <summary>The instances of all silos of the cluster, for the directory.</summary>
    public ILocalInstances Instances => _instances;

    /// <summary>
    /// Takes the lease and keeps it, and joins the cluster's incarnation or begins the next. What goes on in the background does so on the
    /// caller's synchronization context or task scheduler.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <param name="configuration">
    /// Which version of the live configuration this silo works with; asked until the lease shows it. Null where the clusters are those of
    /// the settings.
    /// </param>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    /// <exception cref="GeoConfigurationException">
    /// A silo of the cluster that knows other clusters holds a lease, or the cluster has a live configuration and this silo none. This
    /// silo has given its lease back.
    /// </exception>
    /// <exception cref="GeoSerializationException">The row of the cluster's incarnation is damaged.</exception>
    public async Task StartAsync(
        CancellationToken cancellationToken, Func<CancellationToken, Task<long>>? configuration = null)
    {
        if (_stored is not null && await _stored.ReadAsync(cancellationToken) is { } live)
        {
            throw new GeoConfigurationException(
                $"The silo cannot start with the clusters in its settings: its cluster has processed version {live.Version} of a "
                + "configuration that changes while silos run. Name the ConfigurationStore; or, to go back to settings for good, stop all "
                + $"silos of all clusters and remove '{StoredConfiguration.Key}' from every row store.");
        }

        _fences.Start();
        await TakeLeaseAsync(configuration, cancellationToken);
        _keeping = Task.WhenAll(_lease.RenewUntilAsync(_stopping.Token), _oldFences.RemoveUntilAsync(_stopping.Token));
        try
        {
            await _clusterLists.RunAsync(cancellationToken);
            await _incarnation.JoinAsync(cancellationToken);
            _keeping = Task.WhenAll(_keeping, _incarnation.HearAsync(_stopping.Token), _watch.RunUntilAsync(_stopping.Token));
        }
        catch
        {
            // Whoever comes next must not find a lease of a silo that did not start.
            await LeaveAsync(CancellationToken.None);
            throw;
        }
    }

    /// <summary>Until the lease shows the version that this silo works with, which may change meanwhile.</summary>
    private async Task TakeLeaseAsync(Func<CancellationToken, Task<long>>? configuration, CancellationToken cancellationToken)
    {
        while (true)
        {
            await _lease.RenewAsync(cancellationToken);
            if (!_lease.MayServe)
            {
                throw new GeoUnavailableException(
                    "The silo cannot start: the store of the directory's rows does not answer, so it has no lease.");
            }

            if (configuration is null || await configuration(cancellationToken) is var version && version == _lease.Processed)
            {
                return;
            }

            _lease.Processed = version;
        }
    }

    /// <summary>Lets activations on this silo register with its directories; once.</summary>
    public InstanceRegistration Register(InstanceDirectories directories)
    {
        _hints = new SharedHints(directories, Liveness, _siblings);
        _moves = new MoveHistory(directories.Global.Moves, Liveness, _siblings);
        _instances.Serve(directories.Global);
        return new InstanceRegistration(directories, Liveness, _membership.Local);
    }

    /// <summary>What has lately become of grains in this cluster, by the word of all its silos.</summary>
    public MoveHistory Moves =>
        _moves ?? throw new InvalidOperationException("There is no directory that moves could be told of; call Register first.");

    /// <summary>
    /// True when another silo of the cluster, which is not known to be gone, says in time that it has an instance of a grain.
    /// </summary>
    public async ValueTask<bool> HasInstanceAsync(string node, GrainKey key, CancellationToken cancellationToken) =>
        Liveness.MayBeCalled(node) && await _instances.HasAsync(node, key, _siblingTimeout, cancellationToken);

    /// <summary>Forgets that a grain is in another cluster, on all silos of this one.</summary>
    public void Forget(GrainKey key, ClusterId stale) =>
        (_hints ?? throw new InvalidOperationException("There is no directory to forget in yet; call Register first.")).Forget(key, stale);

    /// <summary>Gives the lease back: the grains of this silo can be taken over at once.</summary>
    public async Task LeaveAsync(CancellationToken cancellationToken)
    {
        _stopping.Cancel();
        await _keeping;
        await _lease.LeaveAsync(cancellationToken);
    }

    /// <summary>Stops renewing the lease, which runs out.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }

        _disposed = true;
        _stopping.Cancel();
        await _keeping;
        _hints?.Dispose();
        _moves?.Dispose();
        Facts.Dispose();
        _instances.Dispose();
        _incarnation.Dispose();
        _fences.Dispose();
        _stopping.Dispose();
    }
}
