namespace Geo.Consistency;

/// <summary>
/// A protocol of an application's own: implemented by an attribute derived from <see cref="ViewProtocolAttribute"/>, it makes the views of
/// the grain classes that carry it. Nothing in the hosts has to know it.
/// </summary>
public interface IViewProtocol
{
    /// <summary>
    /// Makes the view of one activation. It does nothing until <see cref="IVersionedView{TState, TUpdate}.Start"/>; where it is also an
    /// <see cref="IReplica"/>, it receives what the grain's views in other clusters send over
    /// <see cref="ViewContext{TState, TUpdate}.Link"/>.
    /// </summary>
    /// <param name="context">The grain, and what the process has for it.</param>
    IVersionedView<TState, TUpdate> CreateView<TState, TUpdate>(ViewContext<TState, TUpdate> context);
}
