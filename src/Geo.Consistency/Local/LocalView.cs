using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// The view of a volatile single-instance grain (GEO Table 1): the only copy, so that every update is part of a version at once and
/// confirm and refresh have nothing to wait for.
/// </summary>
internal sealed class LocalView<TState, TUpdate>(
    GrainKey key, IViewModel<TState, TUpdate> model, ClusterId cluster, ViewServices services, IViewObserver? observer)
    : ISessionView<TState, TUpdate>
{
    // Of callers that wait for another version.
    private const int MaxWaiting = 10_000;

    private TState _state = model.Create();
    private ChangeSignal? _changes;
    private long _instance;
    private ulong _hash;
    private bool _isDisposed;

    public long Version { get; private set; }

    public TState Confirmed => _state;

    public TState Tentative => _state;

    public IReadOnlyList<TUpdate> Unconfirmed => [];

    public ViewIssue? Issue => null;

    GrainKey ISessionView<TState, TUpdate>.Key => key;

    ulong ISessionView<TState, TUpdate>.GrainHash => _hash != 0 ? _hash : _hash = SessionMark.HashOf(key);

    ClusterId ISessionView<TState, TUpdate>.Cluster => cluster;

    TimeProvider ISessionView<TState, TUpdate>.Time => services.Time;

    TimeSpan? ISessionView<TState, TUpdate>.Age => TimeSpan.Zero;

    uint ISessionView<TState, TUpdate>.InstanceHash => SessionMark.InstanceOf(Instance);

    NumberRange ISessionView<TState, TUpdate>.Pending => default;

    bool ISessionView<TState, TUpdate>.IsConditionPending => false;

    private long Instance => _instance != 0 ? _instance : _instance = services.Random.NextInt64(1, long.MaxValue);

    public void Start()
    {
        // There is nothing to load.
    }

    public void Enqueue(TUpdate update)
    {
        ThrowIfDisposed();
        Apply(update);
        TellObserver();
    }

    public void Enqueue(IReadOnlyList<TUpdate> updates)
    {
        ArgumentNullException.ThrowIfNull(updates);
        ThrowIfDisposed();
        foreach (var update in updates)
        {
            Apply(update);
        }

        TellObserver();
    }

    public Task<bool> TryEnqueueAsync(IReadOnlyList<TUpdate> updates, CancellationToken cancellationToken = default)
    {
        Enqueue(updates);
        return Task.FromResult(true);
    }

    public Task ConfirmAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfDisposed();
        return Task.CompletedTask;
    }

    public Task RefreshAsync(CancellationToken cancellationToken = default) => ConfirmAsync(cancellationToken);

    public Task<Versioned<T>> ReadAsync<T>(Func<TState, T> select, ViewRead read, CancellationToken cancellationToken = default) =>
        SessionReads.ReadAsync(this, select, read, cancellationToken);

    public Task<UpdateOutcome> UpdateAsync(TUpdate update, ViewUpdate how, CancellationToken cancellationToken = default) =>
        SessionReads.UpdateAsync(this, update, how, cancellationToken);

    public IAsyncEnumerable<Versioned<T>> VersionsAsync<T>(Func<TState, T> select, CancellationToken cancellationToken = default) =>
        SessionReads.VersionsAsync(this, select, cancellationToken);

    SessionMark? ISessionView<TState, TUpdate>.Mark(ulong grain) => Version > 0 ? SessionMark.Single(grain, Instance, Version) : null;

    MarkState ISessionView<TState, TUpdate>.StateOf(SessionMark mark) =>
        mark == SessionMark.Single(mark.Grain, Instance, mark.Version) && mark.Version <= Version ? MarkState.Contained : MarkState.Lost;

    Task ISessionView<TState, TUpdate>.NextChangeAsync(CancellationToken cancellationToken)
    {
        ThrowIfDisposed();
        return (_changes ??= new(key, MaxWaiting)).NextAsync(cancellationToken);
    }

    Task ISessionView<TState, TUpdate>.LatestAsync(CancellationToken cancellationToken) => ConfirmAsync(cancellationToken);

    (long Number, Task Confirmed) ISessionView<TState, TUpdate>.Add(
        TUpdate update, bool isWaitedFor, CancellationToken cancellationToken)
    {
        Enqueue(update);
        return (0, Task.CompletedTask);
    }

    public ValueTask DisposeAsync()
    {
        _isDisposed = true;
        _changes?.Fail(new ObjectDisposedException($"The view of {key} was disposed."));
        return default;
    }

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, this);

    private void Apply(TUpdate update)
    {
        try
        {
            _state = model.Apply(_state, update);
        }
        catch (Exception e)
        {
            ViewLog.ApplyFailed(services.Loggers.CreateLogger<LocalView<TState, TUpdate>>(), e, key);
        }

        Version++;
    }

    private void TellObserver()
    {
        observer?.TentativeChanged();
        observer?.ConfirmedChanged();
        _changes?.Changed();
    }
}
