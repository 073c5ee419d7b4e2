using Geo.Consistency;

namespace Geo.Embedded;

/// <summary>A grain's view without its types.</summary>
internal sealed class Journal<TState, TEvent>(IVersionedView<TState, TEvent> view) : IJournal
{
    public int UnconfirmedCount => view.Unconfirmed.Count;

    public IReplica? Replica => view as IReplica;

    public void Start() => view.Start();

    public Task ConfirmAsync(CancellationToken cancellationToken) => view.ConfirmAsync(cancellationToken);

    public ValueTask DisposeAsync() => view.DisposeAsync();
}
