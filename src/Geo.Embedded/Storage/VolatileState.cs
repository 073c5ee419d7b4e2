namespace Geo.Embedded;

/// <summary>A grain's state that no store keeps (<see cref="GeoStorage.Volatile"/>).</summary>
internal sealed class VolatileState<TState> : IPersistentState<TState>, IStoredState
{
    public TState State { get; set; } = Activator.CreateInstance<TState>();

    public string? Etag => null;

    public bool RecordExists => false;

    public Task LoadAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Close()
    {
        // Nobody else sees it.
    }

    public Task ReadStateAsync(CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task WriteStateAsync(CancellationToken cancellationToken = default) => Task.CompletedTask;

    public Task ClearStateAsync(CancellationToken cancellationToken = default)
    {
        State = Activator.CreateInstance<TState>();
        return Task.CompletedTask;
    }
}
