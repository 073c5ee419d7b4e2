using Geo.Consistency;
using Geo.Consistency.Lattices;

namespace Geo.Embedded;

/// <summary>
/// The base of coordination-free grains (<see cref="CoordinationFreeAttribute"/>): every cluster reads and updates its own replica at the
/// speed of memory, and replicas merge what the others have accepted.
/// </summary>
/// <remarks>
/// The state lives in the silo's memory for as long as the silo does, whether the grain is active or not. A silo that starts asks other
/// clusters for all of it: what no other cluster has received when a silo crashes is lost, at most what was younger than an epoch and the
/// time of a message while another cluster can be reached. A silo that stops in an orderly way hands it over first. Where the class names a
/// store, what is older than <see cref="LatticeOptions.SaveEvery"/> and a write is not lost even if all clusters crash at once.
/// </remarks>
/// <typeparam name="TLattice">The state. Immutable: its methods give the delta that an update is, and change nothing.</typeparam>
public abstract class LatticeGrain<TLattice> : Grain, ILatticeGrain
    where TLattice : ILattice<TLattice>
{
    private ILatticeSource? _source;
    private LatticeHandle<TLattice>? _handle;

    /// <summary>The state of this cluster's replica: all updates made here, and those of others that have arrived.</summary>
    protected TLattice State => Handle.State;

    /// <summary>The grain, as sessions name it.</summary>
    protected GrainKey Key => Source.Key;

    private ILatticeSource Source => _source ?? throw NotAttached();

    private LatticeHandle<TLattice> Handle => _handle ?? throw NotAttached();

    IDisposable ILatticeGrain.Attach(ILatticeSource source)
    {
        _source = source;
        return _handle = source.OpenLattice<TLattice>();
    }

    /// <summary>
    /// Makes an update, at once and in this cluster; the others receive it when the epoch ends. It counts even if the call that made it
    /// fails.
    /// </summary>
    /// <param name="change">
    /// Gives the delta, such as <c>(state, origin) =&gt; state.Add(origin.Source, 1)</c>. It holds a lock of the silo: it must be short,
    /// wait for nothing and touch nothing else. If it throws, nothing has changed.
    /// </param>
    protected void Update(Func<TLattice, LatticeOrigin, TLattice> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        Handle.Update(change);
    }

    /// <summary>
    /// Opens a session over this grain and others of this silo's coordination-free classes: for levels over simple eventual, for
    /// transactions, and for what callers have seen elsewhere.
    /// </summary>
    /// <param name="level">The level; that of the class (<see cref="CoordinationFreeAttribute.Level"/>) when null.</param>
    /// <param name="continues">
    /// What it goes on with; that of the present call (<see cref="SessionContext"/>) when null. Give its
    /// <see cref="ILatticeSession.Token"/> back, for the caller's next call.
    /// </param>
    protected ILatticeSession OpenSession(ConsistencyLevel? level = null, SessionToken? continues = null) =>
        Source.OpenSession(level, continues ?? SessionContext.Token);

    /// <summary>
    /// Waits until the updates made to this grain in this silo are known in so many clusters, this one included, unless it serves the grain
    /// for being hot alone (<see cref="LatticeOptions.HotRate"/>): then no crash of fewer clusters takes them.
    /// </summary>
    /// <param name="clusters">The number of clusters.</param>
    /// <exception cref="GeoOutcomeUnknownException">The time of the call was up; the updates stay, and go on their way.</exception>
    /// <exception cref="GeoUnavailableException">As many wait as may (<see cref="LatticeOptions.MaxWaiters"/>).</exception>
    protected async Task KnownInAsync(int clusters) =>
        await Source.BeginViewWait().ForAsync(Source.Key, token => Handle.KnownInAsync(clusters, token));

    /// <summary>
    /// Waits until the updates made to this grain in this silo are in the class's store: then no crash of this cluster takes them.
    /// </summary>
    /// <exception cref="InvalidOperationException">The class has no <see cref="CoordinationFreeAttribute.Storage"/>.</exception>
    /// <exception cref="GeoOutcomeUnknownException">The time of the call was up; the updates stay, and are stored later.</exception>
    /// <exception cref="GeoUnavailableException">As many wait as may (<see cref="LatticeOptions.MaxWaiters"/>).</exception>
    /// <exception cref="GeoStorageException">The store refuses the state, because it is too large.</exception>
    protected async Task DurableAsync() =>
        await Source.BeginViewWait().ForAsync(Source.Key, token => Handle.DurableAsync(token));

    /// <summary>
    /// Waits until <see cref="State"/> has what every cluster had that answers; those that do not within
    /// <see cref="LatticeOptions.RetryAfter"/> are not waited for.
    /// </summary>
    /// <exception cref="GeoOutcomeUnknownException">The time of the call was up.</exception>
    /// <exception cref="GeoUnavailableException">As many wait as may (<see cref="LatticeOptions.MaxWaiters"/>).</exception>
    protected async Task PullAsync() =>
        await Source.BeginViewWait().ForAsync(Source.Key, token => Handle.PullAsync(token));

    /// <summary>
    /// Deletes what is seen here, at once and in this cluster: of a <see cref="Generation{T}"/> all that is older, concurrent updates
    /// included, if the deletion is stamped later; of a dotted lattice what is seen, and what is written concurrently stays.
    /// </summary>
    /// <exception cref="NotSupportedException">The lattice is neither: it only grows.</exception>
    protected void Delete() => Handle.Delete();

    /// <summary>
    /// The present state, and then the newest after changes, here or merged from other clusters; of several changes in a row those between
    /// may be passed over.
    /// </summary>
    /// <param name="cancellationToken">Ends the sequence.</param>
    /// <exception cref="OperationCanceledException">It was ended, or the grain was deactivated.</exception>
    protected IAsyncEnumerable<TLattice> ChangesAsync(CancellationToken cancellationToken = default) =>
        Handle.ChangesAsync(cancellationToken);

    private InvalidOperationException NotAttached() =>
        new($"The state of {GetType().FullName} is there from OnActivateAsync on, not in the constructor.");
}
