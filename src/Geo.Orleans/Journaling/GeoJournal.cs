using Geo.Consistency;
using Geo.Consistency.Lattices;
using Orleans.EventSourcing;

namespace Geo.Orleans;

/// <summary>
/// The journal of one JournaledGrain, over a versioned view: created, called and woken in the grain's own turns. Activation does not wait
/// for storage or other clusters: until the first load has ended, the grain shows version 0.
/// </summary>
internal sealed class GeoJournal<TView, TEntry>
    : ILogViewAdaptor<TView, TEntry>, IViewModel<TView, TEntry>, IViewObserver, IGeoJournal
    where TView : class, new()
    where TEntry : class
{
    private readonly ILogViewAdaptorHost<TView, TEntry> _host;
    private readonly GeoJournals _journals;
    private readonly ILogConsistencyProtocolServices? _services;
    private readonly GrainDeclaration? _declaration;
    private readonly GrainKey _key;
    private readonly IVersionedView<TView, TEntry> _view;
    private Dictionary<string, long>? _counters;
    private IDisposable? _registration;
    private JournalWaits? _waits;
    private bool _skipsRefresh;
    private bool _isEnding;

    // Why nobody is to wait for the view any more; null while one may.
    private GeoOutcomeUnknownException? _lost;

    public GeoJournal(
        ILogViewAdaptorHost<TView, TEntry> host, GrainDeclaration declaration, GeoJournals journals,
        ILogConsistencyProtocolServices services)
    {
        _host = host;
        _journals = journals;
        _services = services;
        _declaration = declaration;
        _key = GrainNames.ToKey(services.GrainId);
        _view = declaration.Protocol == ViewProtocol.CoordinationFree
            ? new CoordinationFreeView<TView, TEntry>(_key, this, declaration, journals.Lattices, this)
            : VersionedViews.Create(new ViewContext<TView, TEntry>(
                declaration, _key, this, journals.Exchange.LinkFor(declaration.Instancing == Instancing.OnePerCluster),
                journals.Services, this));
    }

    private GeoJournal(
        ILogViewAdaptorHost<TView, TEntry> host, GrainKey key, GeoJournals journals, IVersionedView<TView, TEntry> view)
    {
        (_host, _key, _journals, _view) = (host, key, journals, view);
        (host as IGrainBase)?.GrainContext.SetComponent<IGeoJournal>(this);
    }

    public TView TentativeView => _view.Tentative;

    public TView ConfirmedView => _view.Confirmed;

    public int ConfirmedVersion => _view.Version <= int.MaxValue
        ? (int)_view.Version
        : throw new GeoException(
            $"Version {_view.Version} of {_key} is beyond what Orleans' Version can say. The state goes on, and nothing else is affected; "
            + "keep a count in the state instead.");

    public IEnumerable<TEntry> UnconfirmedSuffix => _view.Unconfirmed;

    /// <summary>The journal of a read replica, which is never activated.</summary>
    public static GeoJournal<TView, TEntry> OfReplica(
        ILogViewAdaptorHost<TView, TEntry> host, GrainKey key, GeoJournals journals, ReadFeed feed) =>
        new(host, key, journals, new ReadReplicaView<TView, TEntry>(
            key, feed, journals.Services.Serializer, journals.Exchange.LinkFor(replicated: false).Local, journals.Time,
            ReadReplica.AskForMore));

    public Task<byte[]> FeedAsync(byte[] poll, CancellationToken cancellationToken) =>
        ReadFeedSource.AnswerAsync(_view, _declaration!, _journals.Services.Serializer, poll, cancellationToken);

    public void GiveUpWaits(GeoOutcomeUnknownException reason)
    {
        // One that ends waits for its last confirm.
        if (!_isEnding)
        {
            _lost = reason;
            (_view as IWaitedView)?.GiveUpWaits(reason);
        }
    }

    public Task PreOnActivate()
    {
        if (_view is IReplica replica)
        {
            _registration = _journals.Exchange.Register(
                _key, replica, TaskScheduler.Current,
                _ => (_host as IGrainBase)?.GrainContext.Deactivate(new(
                    DeactivationReasonCode.DuplicateActivation, "Another silo of the cluster has the grain now.")));
        }

        _waits = (_host as IGrainBase)?.GrainContext.GetComponent<JournalWaits>();
        (_host as IGrainBase)?.GrainContext.SetComponent<IGeoJournal>(this);
        _view.Start();
        return Task.CompletedTask;
    }

    public Task PostOnActivate()
    {
        // What comes next is OnActivateAsync. JournaledGrain's own refreshes, which would make activation wait for storage; a class that
        // overrides it gets exactly what it calls.
        _skipsRefresh = _host.GetType().GetMethod(nameof(Grain.OnActivateAsync), [typeof(CancellationToken)])?.DeclaringType
            is { IsGenericType: true } declaring && declaring.GetGenericTypeDefinition() == typeof(JournaledGrain<,>);
        return Task.CompletedTask;
    }

    public async Task PostOnDeactivate()
    {
        _isEnding = true;
        if (_view.Unconfirmed.Count > 0)
        {
            await ConfirmAtLastAsync();
        }

        _registration?.Dispose();
        await _view.DisposeAsync();
    }

    public void Submit(TEntry entry) => RaisingView().Enqueue(entry);

    public void SubmitRange(IEnumerable<TEntry> entries) => RaisingView().Enqueue([.. entries]);

    public Task<bool> TryAppend(TEntry entry) => TryAppendAsync([entry]);

    public Task<bool> TryAppendRange(IEnumerable<TEntry> entries) => TryAppendAsync([.. entries]);

    public Task ConfirmSubmittedEntries() => BeginWait().ForAsync(_key, _view.ConfirmAsync);

    public Task Synchronize()
    {
        var isOfActivation = _skipsRefresh;
        _skipsRefresh = false;
        return isOfActivation ? Task.CompletedTask : BeginWait().ForAsync(_key, _view.RefreshAsync);
    }

    /// <summary>Reads as one call or session asks for it.</summary>
    public Task<Versioned<T>> ReadAsync<T>(Func<TView, T> select, ViewRead read) => read.IsLocal ? _view.ReadAsync(select, read)
        : BeginWait().ForAsync(_key, token => _view.ReadAsync(select, read, token));

    /// <summary>Adds an entry as one call or session asks for it.</summary>
    public async Task<UpdateOutcome> UpdateAsync(TEntry entry, ViewUpdate how)
    {
        var view = RaisingView();
        return await BeginWait().ForAsync(_key, token => view.UpdateAsync(entry, how, token));
    }

    /// <summary>The confirmed versions as they come to be known here.</summary>
    public IAsyncEnumerable<Versioned<T>> VersionsAsync<T>(Func<TView, T> select, CancellationToken cancellationToken) =>
        _view.VersionsAsync(select, cancellationToken);

    public Task<IReadOnlyList<TEntry>> RetrieveLogSegment(int fromVersion, int toVersion) =>
        throw new NotSupportedException($"Grain '{_key}' keeps its latest version only; past events cannot be read back.");

    public void EnableStatsCollection() => _counters = [];

    public void DisableStatsCollection() => _counters = null;

    public LogConsistencyStatistics GetStats() =>
        new() { EventCounters = _counters is null ? [] : new(_counters), StabilizationLatenciesInMsecs = [] };

    TView IViewModel<TView, TEntry>.Create() => new();

    TView IViewModel<TView, TEntry>.Apply(TView state, TEntry update)
    {
        _host.UpdateView(state, update);
        return state;
    }

    void IViewObserver.ConfirmedChanged() =>
        TellGrain(nameof(IViewObserver.ConfirmedChanged), true, static (host, confirmed) => host.OnViewChanged(!confirmed, confirmed));

    void IViewObserver.TentativeChanged() =>
        TellGrain(nameof(IViewObserver.TentativeChanged), true, static (host, tentative) => host.OnViewChanged(tentative, !tentative));

    void IViewObserver.IssueArose(Consistency.ViewIssue issue) =>
        TellGrain(nameof(IViewObserver.IssueArose), Told(issue), static (host, told) => host.OnConnectionIssue(told));

    void IViewObserver.IssueResolved(Consistency.ViewIssue issue) =>
        TellGrain(nameof(IViewObserver.IssueResolved), Told(issue), static (host, told) => host.OnConnectionIssueResolved(told));

    private async Task<bool> TryAppendAsync(IReadOnlyList<TEntry> entries)
    {
        var view = RaisingView();
        return await BeginWait().ForAsync(_key, token => view.TryEnqueueAsync(entries, token));
    }

    private JournalWait BeginWait() => _lost is null ? new(_waits, _journals.WaitTimeout, _journals.Time)
        : throw new GeoOutcomeUnknownException(_lost.Message, _lost);

    /// <summary>The view, for a request that may raise events.</summary>
    private IVersionedView<TView, TEntry> RaisingView() => _waits?.Present is { IsReadOnly: true } request
        ? throw new InvalidOperationException(
            $"{request.GetMethodName()} of {_key} is [ReadOnly] and may not raise events: it runs beside calls that have not ended. "
            + "Remove the attribute, or raise the events in another method.")
        : _view;

    private GeoConnectionIssue Told(Consistency.ViewIssue issue) => new(issue, _journals.Time.GetUtcNow());

    private void TellGrain<TTold>(string what, TTold told, Action<ILogViewAdaptorHost<TView, TEntry>, TTold> tell)
    {
        if (_counters is { } counters)
        {
            counters[what] = counters.GetValueOrDefault(what) + 1;
        }

        try
        {
            tell(_host, told);
        }
        catch (Exception e)
        {
            _services?.CaughtUserCodeException(what, nameof(GeoJournal<,>), e);
        }
    }

    private async Task ConfirmAtLastAsync()
    {
        using var deadline = new CancellationTokenSource(_journals.DeactivationConfirmTimeout, _journals.Time);
        try
        {
            await _view.ConfirmAsync(deadline.Token);
        }
        catch (Exception e) when (e is OperationCanceledException or GeoException or ObjectDisposedException)
        {
            // Disposed of where Orleans gave the activation up, and the next one has taken its place.
            _services?.CaughtException(
                $"{nameof(PostOnDeactivate)}: {_view.Unconfirmed.Count} events of '{_key}' are not known to be confirmed", e);
        }
    }
}
