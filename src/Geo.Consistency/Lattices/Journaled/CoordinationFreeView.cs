namespace Geo.Consistency.Lattices;

/// <summary>
/// The view of a coordination-free grain. There is no one sequence of versions: the state is that of the silo's replica, an update takes
/// effect at once and here, and <see cref="Version"/> counts the changes that this activation has seen.
/// </summary>
internal sealed class CoordinationFreeView<TState, TUpdate> : IVersionedView<TState, TUpdate>
{
    private readonly IViewModel<TState, TUpdate> _model;
    private readonly GrainDeclaration _declaration;
    private readonly GrainKey _key;
    private readonly IViewObserver? _observer;
    private readonly LatticeReplicas _replicas;
    private readonly CancellationTokenSource _end = new();
    private IStateReplica? _replica;
    private Task _following = Task.CompletedTask;

    internal CoordinationFreeView(
        GrainKey key, IViewModel<TState, TUpdate> model, GrainDeclaration declaration, LatticeReplicas replicas, IViewObserver? observer)
    {
        (_key, _model, _declaration, _replicas, _observer) = (key, model, declaration, replicas, observer);
        Confirmed = model.Create();
    }

    public long Version { get; private set; }

    public TState Confirmed { get; }

    public TState Tentative => Confirmed;

    public IReadOnlyList<TUpdate> Unconfirmed => [];

    public ViewIssue? Issue => null;

    private IStateReplica Replica => _replica ?? throw new InvalidOperationException($"{_key} is not active.");

    public void Start()
    {
        _replica = ((ILatticeState)Confirmed!).Attach(_replicas, _key);
        _following = FollowAsync(_replica);
    }

    public void Enqueue(TUpdate update) => _model.Apply(Confirmed, update);

    public void Enqueue(IReadOnlyList<TUpdate> updates)
    {
        ArgumentNullException.ThrowIfNull(updates);
        foreach (var update in updates)
        {
            Enqueue(update);
        }
    }

    public Task<bool> TryEnqueueAsync(IReadOnlyList<TUpdate> updates, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException(
            $"{_key} is [CoordinationFree]: no order of all updates exists that a condition could be on. Use [BatchedCas] for that.");

    public Task ConfirmAsync(CancellationToken cancellationToken = default) =>
        Replica.ConfirmAsync(_declaration.ConfirmIn, cancellationToken);

    public async Task RefreshAsync(CancellationToken cancellationToken = default)
    {
        await ConfirmAsync(cancellationToken);
        await Replica.PullAsync(cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        _end.Cancel();
        _replica?.Dispose();
        await _following;
        _end.Dispose();
    }

    private async Task FollowAsync(IStateReplica replica)
    {
        try
        {
            object? last = null;
            await foreach (var state in replica.ChangesAsync(_end.Token))
            {
                if (last is not null && !ReferenceEquals(last, state))
                {
                    Version++;
                    _observer?.ConfirmedChanged();
                    _observer?.TentativeChanged();
                }

                last = state;
            }
        }
        catch (OperationCanceledException)
        {
            // The activation ends.
        }
    }
}
