namespace Geo.Consistency;

/// <summary>
/// The versioned state of one grain as one of its instances sees it: the last known version, and the instance's own updates that
/// are not part of a version yet (GEO section 2.2, Fig. 4b and 5).
/// </summary>
/// <remarks>
/// <para>
/// All instances agree on one sequence of numbered versions. Every view shows a prefix of it (consistent prefix), never an older
/// prefix than before (monotonic reads), and keeps its own updates in the order it made them; <see cref="Tentative"/> always
/// includes them (read-your-writes). Nobody else sees an update before it is part of a version.
/// </para>
/// <para>
/// Linearizable update: <see cref="Enqueue(TUpdate)"/>, then await <see cref="ConfirmAsync"/>. Linearizable read: await
/// <see cref="RefreshAsync"/>, then read <see cref="Confirmed"/>.
/// </para>
/// <para>
/// Everything but the awaited members is local and never waits for storage or for other clusters, the first use included: a view
/// that has not loaded yet shows version 0 (GEO section 2.2, local operations).
/// </para>
/// <para>
/// Not thread-safe: a view is created, called, and does its background work on one scheduler that runs one step at a time (the
/// turns of its grain). Disposing ends the background work at once; updates not confirmed by then may or may not become part of a version.
/// </para>
/// <para>
/// A protocol of an application's own may leave out the reads and updates by session, and <c>VersionsAsync</c>: they then end in a
/// <see cref="GeoConfigurationException"/> that says so.
/// </para>
/// </remarks>
/// <typeparam name="TState">The state.</typeparam>
/// <typeparam name="TUpdate">One update.</typeparam>
public interface IVersionedView<TState, TUpdate> : IAsyncDisposable
{
    /// <summary>The number of the last version known here: how many updates it is made of.</summary>
    long Version { get; }

    /// <summary>
    /// The state of the last version known here, possibly stale. The object belongs to the view: do not change it, and copy what
    /// must outlive the next update.
    /// </summary>
    TState Confirmed { get; }

    /// <summary>
    /// <see cref="Confirmed"/> with this view's own unconfirmed updates on top. It has no version number: no version need ever look
    /// like it. The object belongs to the view and is brought forward in place by later updates. With nothing unconfirmed it is the same
    /// object as <see cref="Confirmed"/>, otherwise another.
    /// </summary>
    TState Tentative { get; }

    /// <summary>This view's own updates that are not part of a known version yet, oldest first; a snapshot.</summary>
    IReadOnlyList<TUpdate> Unconfirmed { get; }

    /// <summary>What keeps this view from reaching the latest version at present; null when nothing does.</summary>
    ViewIssue? Issue { get; }

    /// <summary>Begins the background work with the first load, without waiting for it. Calling it again does nothing.</summary>
    void Start();

    /// <summary>Adds an update to the queue and returns at once.</summary>
    /// <exception cref="GeoUnavailableException">The queue holds as many updates as its option allows; nothing was added.</exception>
    void Enqueue(TUpdate update);

    /// <summary>Adds updates that become part of one version sequence without another update between them.</summary>
    /// <exception cref="GeoUnavailableException">They do not fit into the queue or into one write; nothing was added.</exception>
    void Enqueue(IReadOnlyList<TUpdate> updates);

    /// <summary>
    /// Adds updates on the condition that no other instance's update gets between what this view sees now (its own queue included)
    /// and them. Until it is decided they are part of <see cref="Tentative"/>.
    /// </summary>
    /// <param name="updates">The updates; all of them become part of the sequence, next to each other, or none does.</param>
    /// <param name="cancellationToken">Ends the wait; the updates stay queued and are decided later.</param>
    /// <returns>True when they are part of a version; false when they certainly are not and never will be.</returns>
    /// <exception cref="GeoUnavailableException">They do not fit into the queue or into one write; nothing was added.</exception>
    /// <exception cref="GeoOutcomeUnknownException">
    /// Whether they took effect can no longer be found out; they will not be tried again.
    /// </exception>
    Task<bool> TryEnqueueAsync(IReadOnlyList<TUpdate> updates, CancellationToken cancellationToken = default);

    /// <summary>
    /// Waits until every update enqueued before this call is part of a version (GEO Fig. 5, confirm_updates), or decided otherwise: it
    /// fails where one was taken out, also before this call, unless another confirm was told of that. Conditional updates tell their own
    /// callers.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait; the updates stay queued.</param>
    /// <exception cref="GeoSerializationException">
    /// What is stored cannot be read: what was enqueued stays queued. Or the state that some of the updates make cannot be written: these
    /// were taken out and are part of no version, and the others are in. Nothing stored was changed.
    /// </exception>
    /// <exception cref="GeoStorageException">
    /// The store refuses the state for good, or its history was replaced from outside; what was enqueued stays queued.
    /// </exception>
    /// <exception cref="GeoOutcomeUnknownException">
    /// Whether some of the updates took effect can no longer be found out. Or as many callers wait as option MaxWaiters allows, or the
    /// view failed: what was enqueued stays queued, and is not waited for. Or the view was disposed meanwhile.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The view was disposed before.</exception>
    Task ConfirmAsync(CancellationToken cancellationToken = default);

    /// <summary>
    /// Waits until every update enqueued before this call is part of a version and <see cref="Confirmed"/> is at least as new as the
    /// latest version at the time of this call (GEO Fig. 5, refresh_now).
    /// </summary>
    /// <param name="cancellationToken">Ends the wait; the updates stay queued.</param>
    /// <exception cref="GeoUnavailableException">
    /// As many callers wait as option MaxWaiters allows, and nothing was ever enqueued here.
    /// </exception>
    /// <exception cref="GeoException">
    /// As for <see cref="ConfirmAsync"/>; that an update was taken out is told to one refresh, and after that to a confirm still.
    /// </exception>
    Task RefreshAsync(CancellationToken cancellationToken = default);

    /// <summary>Reads as one call or session asks for it, and says how new that is.</summary>
    /// <param name="select">
    /// Takes what is wanted out of the state: a value of its own, not a part of the state, which the view changes later.
    /// </param>
    /// <param name="read">What is asked for.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">
    /// What is asked for is not known here, or not in time; or as many callers wait as option MaxWaiters allows.
    /// </exception>
    /// <exception cref="SessionLostException">What the session has read or written is in no version, and never will be.</exception>
    /// <exception cref="GeoOutcomeUnknownException">
    /// Whether an unconfirmed update of the session took effect cannot be found out: it was in doubt when it was taken out, or one before
    /// it was; or it is not part of the latest version, nor became so in time, and another instance had it.
    /// </exception>
    /// <exception cref="GeoSerializationException">What is stored cannot be read.</exception>
    /// <exception cref="GeoStorageException">The store refuses for good, or its history was replaced from outside.</exception>
    Task<Versioned<T>> ReadAsync<T>(Func<TState, T> select, ViewRead read, CancellationToken cancellationToken = default) =>
        throw ViewRefusals.Sessions(GetType());

    /// <summary>Updates as one call or session asks for it.</summary>
    /// <param name="update">The update.</param>
    /// <param name="how">What is asked for.</param>
    /// <param name="cancellationToken">Ends the wait; an update that was queued by then stays queued.</param>
    /// <exception cref="GeoUnavailableException">
    /// The queue is full, as many callers wait as option MaxWaiters allows, or what the session has read and written elsewhere is not known
    /// here in time; nothing was queued.
    /// </exception>
    /// <exception cref="SessionLostException">
    /// What the session has read or written before is in no version, and never will be; nothing was queued.
    /// </exception>
    /// <exception cref="GeoSerializationException">
    /// The update, or the state that it makes, cannot be written: it is part of no version. What becomes of others it is not told.
    /// </exception>
    /// <exception cref="GeoOutcomeUnknownException">
    /// Whether the update took effect cannot be found out, or it stays queued and nobody knows yet. Or the same of an earlier update of the
    /// session: then the message says that nothing was done by this call.
    /// </exception>
    Task<UpdateOutcome> UpdateAsync(TUpdate update, ViewUpdate how, CancellationToken cancellationToken = default) =>
        throw ViewRefusals.Sessions(GetType());

    /// <summary>
    /// The confirmed versions from the present one on, as they come to be known here: each later than the one before, some passed over.
    /// Ends with the token, or in an <see cref="ObjectDisposedException"/> with the view.
    /// </summary>
    /// <param name="select">As for <see cref="ReadAsync"/>.</param>
    /// <param name="cancellationToken">Ends the sequence.</param>
    /// <exception cref="GeoUnavailableException">As many callers wait as option MaxWaiters allows.</exception>
    IAsyncEnumerable<Versioned<T>> VersionsAsync<T>(Func<TState, T> select, CancellationToken cancellationToken = default) =>
        throw ViewRefusals.Sessions(GetType());
}
