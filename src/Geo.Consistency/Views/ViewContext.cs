namespace Geo.Consistency;

/// <summary>What a view is made of.</summary>
/// <param name="Declaration">What the grain class asks for.</param>
/// <param name="Key">The grain.</param>
/// <param name="Model">The states and updates.</param>
/// <param name="Link">
/// The link to the other instances: <see cref="ReplicaExchange.LinkFor"/> with replicated where
/// <see cref="GrainDeclaration.Instancing"/> is <see cref="Instancing.OnePerCluster"/>.
/// </param>
/// <param name="Services">What the process's views share.</param>
/// <param name="Observer">Hears what happens to the view; may be null.</param>
public sealed record ViewContext<TState, TUpdate>(
    GrainDeclaration Declaration, GrainKey Key, IViewModel<TState, TUpdate> Model, IReplicaLink Link, ViewServices Services,
    IViewObserver? Observer = null);
