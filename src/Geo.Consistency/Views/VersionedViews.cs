namespace Geo.Consistency;

/// <summary>Makes the view that a grain's attributes ask for (GEO Table 1).</summary>
public static class VersionedViews
{
    /// <summary>What the keys of stored versions begin with; the grain's key follows.</summary>
    public const string StoreKeyPrefix = "view/";

    /// <summary>
    /// Makes a view. It does nothing until <see cref="IVersionedView{TState, TUpdate}.Start"/>; where the result is also an
    /// <see cref="IReplica"/>, the host registers it first with what receives from the other clusters.
    /// </summary>
    /// <param name="context">The grain, and what the process has for it.</param>
    /// <exception cref="GeoConfigurationException">The declaration asks for no versioned view, or for one that nobody makes.</exception>
    public static IVersionedView<TState, TUpdate> Create<TState, TUpdate>(ViewContext<TState, TUpdate> context)
    {
        ArgumentNullException.ThrowIfNull(context);
        var (declaration, key, model, link, services, observer) = context;
        return declaration.Protocol switch
        {
            ViewProtocol.Local => new LocalView<TState, TUpdate>(
                key, model, link.Local, services, observer),
            ViewProtocol.BatchedCas => new BatchedCasView<TState, TUpdate>(
                key, model, services.Stores(declaration.Storage), link, services, observer),
            ViewProtocol.VersionedLeader => new VersionedLeaderView<TState, TUpdate>(
                key, model, declaration, link, services, observer),
            ViewProtocol.Own when declaration.OwnProtocol is IViewProtocol own => own.CreateView(context),
            ViewProtocol.Own => throw new GeoConfigurationException(
                $"The attribute {declaration.OwnProtocol?.GetType().FullName} of the grain {key} names a protocol and does not implement "
                + $"{nameof(IViewProtocol)}, so that nobody can make its view; implement it."),
            _ => throw new GeoConfigurationException(
                $"The grain {key} does not use the versioned API, so it has no versioned view; derive its class from JournaledGrain."),
        };
    }
}
