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

    /// <summary>
    /// Has the options of a store come from the configuration section <c>Geo:Stores:NAME</c>, as it is when the host starts. What is wrong
    /// with them ends the start with a <see cref="GeoConfigurationException"/>: there is no such section, a key in it is no option, a value
    /// cannot be read or does not pass.
    /// </summary>
    /// <typeparam name="TOptions">Options of the store.</typeparam>
    /// <param name="name">The name that grains know the store by.</param>
    /// <param name="check">Throws a <see cref="GeoConfigurationException"/> where options cannot be.</param>
    /// <returns>The options, for the store's factory.</returns>
    Func<TOptions> BindStoreOptions<TOptions>(string name, Action<TOptions> check)
        where TOptions : class;
}
