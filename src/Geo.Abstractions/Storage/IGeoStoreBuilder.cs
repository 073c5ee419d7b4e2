namespace Geo;

/// <summary>
/// A host's builder that takes conditional stores: what lets the package of a store offer one line that serves every host. Applications use
/// those lines, such as <c>AddSqliteStore</c>.
/// </summary>
public interface IGeoStoreBuilder
{
    /// <summary>Adds a store that the host makes once and disposes of when it stops.</summary>
    /// <param name="name">The name that grains know the store by.</param>
    /// <param name="factory">Makes the store.</param>
    /// <exception cref="GeoConfigurationException">The name is taken or cannot be used.</exception>
    void AddOwnedStore(string name, Func<IServiceProvider, IConditionalStore> factory);

    /// <summary>Reads the options of a store from the configuration section <c>Geo:Stores:NAME</c>, as it is at this moment.</summary>
    /// <typeparam name="TOptions">Options of the store.</typeparam>
    /// <param name="name">The name that grains know the store by.</param>
    /// <exception cref="GeoConfigurationException">
    /// There is no such section, a key in it is no option, or a value cannot be read.
    /// </exception>
    TOptions ReadStoreOptions<TOptions>(string name)
        where TOptions : class;
}
