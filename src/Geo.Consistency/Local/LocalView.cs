using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// The view of a volatile single-instance grain (GEO Table 1): the only copy, so that every update is part of a version at once and
/// confirm and refresh have nothing to wait for.
/// </summary>
internal sealed class LocalView<TState, TUpdate>(
    GrainKey key, IViewModel<TState, TUpdate> model, IViewObserver? observer, ILogger<LocalView<TState, TUpdate>> logger)
    : IVersionedView<TState, TUpdate>
{
    private TState _state = model.Create();

    public long Version { get; private set; }

    public TState Confirmed => _state;

    public TState Tentative => _state;

    public IReadOnlyList<TUpdate> Unconfirmed => [];

    public ConnectionIssue? Issue => null;

    public void Start()
    {
        // There is nothing to load.
    }

    public void Enqueue(TUpdate update)
    {
        Apply(update);
        TellObserver();
    }

    public void Enqueue(IReadOnlyList<TUpdate> updates)
    {
        ArgumentNullException.ThrowIfNull(updates);
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

    public Task ConfirmAsync(CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task RefreshAsync(CancellationToken cancellationToken = default) => Task.CompletedTask;

    public ValueTask DisposeAsync() => default;

    private void Apply(TUpdate update)
    {
        try
        {
            _state = model.Apply(_state, update);
        }
        catch (Exception e)
        {
            ViewLog.ApplyFailed(logger, e, key);
        }

        Version++;
    }

    private void TellObserver()
    {
        observer?.TentativeChanged();
        observer?.ConfirmedChanged();
    }
}
