namespace Geo;

/// <summary>A builder for hosts of several silos, which keep the rows of their directory in a store that they share.</summary>
public interface IGeoRowStoreBuilder : IGeoStoreBuilder
{
    /// <summary>Keeps the directory's rows in a store that the host makes once and disposes of when it stops.</summary>
    /// <param name="factory">Makes the store.</param>
    void UseOwnedRowStore(Func<IServiceProvider, IConditionalStore> factory);

    /// <summary>Reads the options of the rows' store from the configuration section <c>Geo:Rows</c>, as it is at this moment.</summary>
    /// <typeparam name="TOptions">Options of the store.</typeparam>
    /// <exception cref="GeoConfigurationException">
    /// There is no such section, a key in it is no option, or a value cannot be read.
    /// </exception>
    TOptions ReadRowStoreOptions<TOptions>()
        where TOptions : class;
}
