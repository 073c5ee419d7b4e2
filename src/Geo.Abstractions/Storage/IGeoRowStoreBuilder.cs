namespace Geo;

/// <summary>A builder for hosts of several silos, which keep the rows of their directory in a store that they share.</summary>
public interface IGeoRowStoreBuilder : IGeoStoreBuilder
{
    /// <summary>Keeps the directory's rows in a store that the host makes once and disposes of when it stops.</summary>
    /// <param name="factory">Makes the store.</param>
    void UseOwnedRowStore(Func<IServiceProvider, IConditionalStore> factory);

    /// <summary>
    /// Has the options of the rows' store come from the configuration section <c>Geo:Rows</c>, as
    /// <see cref="IGeoStoreBuilder.BindStoreOptions"/> has those of other stores.
    /// </summary>
    /// <typeparam name="TOptions">Options of the store.</typeparam>
    /// <param name="check">Throws a <see cref="GeoConfigurationException"/> where options cannot be.</param>
    /// <returns>The options, for the store's factory.</returns>
    Func<TOptions> BindRowStoreOptions<TOptions>(Action<TOptions> check)
        where TOptions : class;
}
