using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>
/// The base of versioned grains: a state that changes by events only, in one sequence of numbered versions on which all instances agree
/// (GEO sections 2.2 and 2.3).
/// </summary>
/// <remarks>
/// <para>
/// <see cref="State"/>, <see cref="TentativeState"/> and the methods that raise events without a condition are local: they never wait for
/// storage or other clusters. The grain is active at once, too: until the first version has been loaded it shows version 0, the state as
/// its constructor makes it.
/// </para>
/// <para>
/// Linearizable update: raise the event, then await <see cref="ConfirmEvents"/>. Linearizable read: await <see cref="RefreshNow"/>, then
/// read <see cref="State"/>.
/// </para>
/// <para>
/// States and events are stored and sent as their declared types. Events of several types need a common type that names them all by
/// <c>[JsonDerivedType]</c>.
/// </para>
/// </remarks>
/// <typeparam name="TState">The state; version 0 is what its constructor makes.</typeparam>
/// <typeparam name="TEvent">The events, or the type that they have in common.</typeparam>
public abstract class JournaledGrain<TState, TEvent> : Grain, IJournaledGrain<TState, TEvent>, IReadReplicaFeed
    where TState : class, new()
    where TEvent : class
{
    private IVersionedView<TState, TEvent>? _view;
    private IJournalSource? _source;

    /// <summary>The events raised here that are not known to be part of a version yet, oldest first; a snapshot.</summary>
    public IEnumerable<TEvent> UnconfirmedEvents => View.Unconfirmed;

    /// <summary>The state of the last version known here, possibly stale. Do not change it other than by events.</summary>
    protected TState State => View.Confirmed;

    /// <summary><see cref="State"/> with the unconfirmed events applied on top. Do not change it other than by events.</summary>
    protected TState TentativeState => View.Tentative;

    /// <summary>The number of the last version known here: how many events it is made of.</summary>
    protected long Version => View.Version;

    /// <summary>What keeps this instance from the latest version at present; null when nothing does.</summary>
    protected ConnectionIssue? ConnectionIssue => View.Issue is { } issue ? Embedded.ConnectionIssue.Of(issue) : null;

    private IVersionedView<TState, TEvent> View => _view ?? throw new InvalidOperationException(NotAttached());

    private IJournalSource Source => _source ?? throw new InvalidOperationException(NotAttached());

    /// <summary>The view, for a turn that may raise events.</summary>
    private IVersionedView<TState, TEvent> RaisingView
    {
        get
        {
            Source.CheckMayRaise();
            return View;
        }
    }

    IJournal IJournaledGrain.Attach(IJournalSource source)
    {
        _source = source;
        var journal = new Journal<TState, TEvent>(this, source);
        _view = journal.View;
        return journal;
    }

    void IJournaledGrain<TState, TEvent>.Transition(TState state, TEvent @event) => TransitionState(state, @event);

    void IJournaledGrain<TState, TEvent>.StateChanged() => OnStateChanged();

    void IJournaledGrain<TState, TEvent>.TentativeStateChanged() => OnTentativeStateChanged();

    void IJournaledGrain<TState, TEvent>.IssueArose(ConnectionIssue issue) => OnConnectionIssue(issue);

    void IJournaledGrain<TState, TEvent>.IssueResolved(ConnectionIssue issue) => OnConnectionIssueResolved(issue);

    Task<byte[]> IReadReplicaFeed.PollAsync(byte[] poll, CancellationToken cancellationToken) =>
        Source.BeginViewWait().ForAsync(Source.Key, token => Source.FeedAsync(View, poll, token));

    /// <summary>Adds an event to the queue of this instance and returns at once (GEO section 2.2, enqueue).</summary>
    /// <exception cref="GeoUnavailableException">The queue is full; the event was not added.</exception>
    protected virtual void RaiseEvent<TRaised>(TRaised @event)
        where TRaised : TEvent
    {
        ArgumentNullException.ThrowIfNull(@event);
        RaisingView.Enqueue(@event);
    }

    /// <summary>Adds events to the queue that become part of the sequence with no other event between them.</summary>
    /// <exception cref="GeoUnavailableException">They do not fit into the queue; none was added.</exception>
    protected virtual void RaiseEvents<TRaised>(IEnumerable<TRaised> events)
        where TRaised : TEvent
    {
        ArgumentNullException.ThrowIfNull(events);
        RaisingView.Enqueue(ToList(events));
    }

    /// <summary>Raises an event on the condition that no event of another instance comes before it that is not seen here yet.</summary>
    /// <returns>True when it is part of a version; false when it certainly is not.</returns>
    /// <exception cref="GeoOutcomeUnknownException">Whether it took effect cannot be found out.</exception>
    protected virtual Task<bool> RaiseConditionalEvent<TRaised>(TRaised @event)
        where TRaised : TEvent
    {
        ArgumentNullException.ThrowIfNull(@event);
        return TryEnqueueAsync([@event]);
    }

    /// <summary>
    /// Raises events, all or none, on the condition that no event of another instance comes before them that is not seen here yet.
    /// </summary>
    /// <returns>True when they are part of a version; false when they certainly are not.</returns>
    /// <exception cref="GeoOutcomeUnknownException">Whether they took effect cannot be found out.</exception>
    protected virtual Task<bool> RaiseConditionalEvents<TRaised>(IEnumerable<TRaised> events)
        where TRaised : TEvent
    {
        ArgumentNullException.ThrowIfNull(events);
        return TryEnqueueAsync(ToList(events));
    }

    /// <summary>
    /// Waits until all events raised so far are part of a version (GEO Fig. 5, confirm_updates). The exceptions are those of
    /// <see cref="IVersionedView{TState, TUpdate}.ConfirmAsync"/>.
    /// </summary>
    protected async Task ConfirmEvents() => await Source.BeginViewWait().ForAsync(Source.Key, View.ConfirmAsync);

    /// <summary>
    /// Waits until all events raised so far are part of a version and <see cref="State"/> is at least as new as the latest version was at
    /// the time of this call (GEO Fig. 5, refresh_now).
    /// </summary>
    protected async Task RefreshNow() => await Source.BeginViewWait().ForAsync(Source.Key, View.RefreshAsync);

    /// <summary>
    /// Raises an event as one call or session asks for it. The exceptions are those of
    /// <see cref="IVersionedView{TState, TUpdate}.UpdateAsync"/>.
    /// </summary>
    /// <param name="event">The event.</param>
    /// <param name="how">
    /// What is asked for; its session is that of the present call (<see cref="SessionContext"/>) unless it names one.
    /// </param>
    protected async Task<UpdateOutcome> RaiseEvent(TEvent @event, ViewUpdate how)
    {
        ArgumentNullException.ThrowIfNull(@event);
        ArgumentNullException.ThrowIfNull(how);
        var (view, asked) = (RaisingView, how with { Session = how.Session ?? SessionContext.Token });
        return await Source.BeginViewWait().ForAsync(Source.Key, token => view.UpdateAsync(@event, asked, token));
    }

    /// <summary>
    /// Reads as one call or session asks for it. The exceptions are those of <see cref="IVersionedView{TState, TUpdate}.ReadAsync"/>.
    /// </summary>
    /// <param name="select">Takes what is wanted out of the state: a value of its own, not a part of the state.</param>
    /// <param name="read">
    /// What is asked for; its session is that of the present call (<see cref="SessionContext"/>) unless it names one.
    /// </param>
    protected Task<Versioned<T>> ReadVersion<T>(Func<TState, T> select, ViewRead read)
    {
        ArgumentNullException.ThrowIfNull(select);
        ArgumentNullException.ThrowIfNull(read);
        var asked = read with { Session = read.Session ?? SessionContext.Token };
        return asked.IsLocal ? View.ReadAsync(select, asked) : ReadOrWaitAsync(select, asked);
    }

    /// <summary>
    /// The confirmed versions from the present one on, as they come to be known here
    /// (<see cref="IVersionedView{TState, TUpdate}.VersionsAsync"/>).
    /// </summary>
    /// <param name="select">As for <see cref="ReadVersion"/>.</param>
    /// <param name="cancellationToken">Ends the sequence; a call's time does not, so that a call passes on its own.</param>
    protected IAsyncEnumerable<Versioned<T>> FollowVersions<T>(Func<TState, T> select, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(select);
        return View.VersionsAsync(select, cancellationToken);
    }

    /// <summary>The effect of an event on the state: unless overridden, the state's own <c>Apply</c> method for the event's type.</summary>
    /// <remarks>
    /// Must be deterministic and touch nothing but the state: it runs on several instances, and more than once for one event. An exception
    /// is logged, and the event counts as one without effect.
    /// </remarks>
    /// <exception cref="GeoConfigurationException">The state has no such method.</exception>
    protected virtual void TransitionState(TState state, TEvent @event) => EventApplier<TState>.Apply(state, @event);

    /// <summary>Called when <see cref="State"/> is of a newer version.</summary>
    protected virtual void OnStateChanged()
    {
    }

    /// <summary>Called when <see cref="TentativeState"/> may have changed.</summary>
    protected virtual void OnTentativeStateChanged()
    {
    }

    /// <summary>Called when the latest version cannot be reached, and again for each further failure.</summary>
    protected virtual void OnConnectionIssue(ConnectionIssue issue)
    {
    }

    /// <summary>Called when the latest version can be reached again.</summary>
    protected virtual void OnConnectionIssueResolved(ConnectionIssue issue)
    {
    }

    private async Task<Versioned<T>> ReadOrWaitAsync<T>(Func<TState, T> select, ViewRead read) =>
        await Source.BeginViewWait().ForAsync(Source.Key, token => View.ReadAsync(select, read, token));

    private async Task<bool> TryEnqueueAsync(IReadOnlyList<TEvent> events)
    {
        var view = RaisingView;
        return await Source.BeginViewWait().ForAsync(Source.Key, token => view.TryEnqueueAsync(events, token));
    }

    private string NotAttached() => $"The state of {GetType().FullName} is there from OnActivateAsync on, not in the constructor.";

    private static List<TEvent> ToList<TRaised>(IEnumerable<TRaised> events)
        where TRaised : TEvent => [.. events.Select(e => (TEvent)e)];
}
