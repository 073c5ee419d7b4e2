namespace Geo.Consistency;

/// <summary>Makes the view that a grain's attributes ask for (GEO Table 1).</summary>
public static class VersionedViews
{
    /// <summary>What the keys of stored versions begin with; the grain's key follows.</summary>
    public const string StoreKeyPrefix = "view/";

    /// <summary>
    /// Makes a view. It does nothing until <see cref="IVersionedView{TState, TUpdate}.Start"/>; where the result is also an
    /// <see cref="IReplica"/>, register it with the <see cref="ReplicaExchange"/> first.
    /// </summary>
    /// <param name="declaration">What the grain class asks for.</param>
    /// <param name="key">The grain.</param>
    /// <param name="model">The states and updates.</param>
    /// <param name="link">
    /// The grain's link to its other instances: <see cref="ReplicaExchange.LinkFor"/> with replicated where
    /// <see cref="GrainDeclaration.Instancing"/> is <see cref="Instancing.OnePerCluster"/>.
    /// </param>
    /// <param name="services">What the process's views share.</param>
    /// <param name="observer">Hears what happens to the view; may be null.</param>
    /// <exception cref="GeoConfigurationException">The declaration asks for no versioned view.</exception>
    public static IVersionedView<TState, TUpdate> Create<TState, TUpdate>(
        GrainDeclaration declaration,
        GrainKey key,
        IViewModel<TState, TUpdate> model,
        IReplicaLink link,
        ViewServices services,
        IViewObserver? observer = null) => declaration.Protocol switch
        {
            ViewProtocol.Local => new LocalView<TState, TUpdate>(
                key, model, link.Local, services, observer),
            ViewProtocol.BatchedCas => new BatchedCasView<TState, TUpdate>(
                key, model, services.Stores(declaration.Storage), link, services, observer),
            ViewProtocol.VersionedLeader => new VersionedLeaderView<TState, TUpdate>(
                key, model, declaration, link, services, observer),
            _ => throw new GeoConfigurationException(
                $"The grain {key} does not use the versioned API, so it has no versioned view; derive its class from JournaledGrain."),
        };
}
