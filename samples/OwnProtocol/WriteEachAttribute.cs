namespace OwnProtocol;

/// <summary>
/// Each group of updates is one conditional write of its own: the plain protocol that batching compare-and-swap improves on. It is all that
/// Geo has to know of it.
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class WriteEachAttribute : ViewProtocolAttribute, IViewProtocol
{
    public string? Storage { get; init; }

    public override bool UsesStore => true;

    public override string? StoreName => Storage;

    public IVersionedView<TState, TUpdate> CreateView<TState, TUpdate>(ViewContext<TState, TUpdate> context) =>
        new WriteEachView<TState, TUpdate>(context);
}
