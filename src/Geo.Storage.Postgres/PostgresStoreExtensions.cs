namespace Geo.Storage.Postgres;

/// <summary>Picks PostgreSQL as a store, in one line of UseGeo or UseGeoEmbedded.</summary>
public static class PostgresStoreExtensions
{
    /// <summary>
    /// Adds a store in a PostgreSQL table for grains' states and versions. Until the server can be reached, outcomes are unknown.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="name">The name that grains know the store by; "Default" where they name none.</param>
    /// <param name="options">The server, the table and the limits.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range, or the name is taken.</exception>
    public static TBuilder AddPostgresStore<TBuilder>(this TBuilder geo, string name, PostgresStoreOptions options)
        where TBuilder : IGeoStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        geo.AddOwnedStore(name, _ => new PostgresConditionalStore(options));
        return geo;
    }

    /// <summary>
    /// Adds the store with the options in the configuration section <c>Geo:Stores:NAME</c>, read when the host starts: without that
    /// section, with a key in it that is no option or an option out of range the start ends with a
    /// <see cref="GeoConfigurationException"/>.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="name">The name that grains know the store by; "Default" where they name none.</param>
    /// <exception cref="GeoConfigurationException">The name is taken.</exception>
    public static TBuilder AddPostgresStore<TBuilder>(this TBuilder geo, string name)
        where TBuilder : IGeoStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentException.ThrowIfNullOrEmpty(name);
        var options = geo.BindStoreOptions<PostgresStoreOptions>(name, read => read.Validate());
        geo.AddOwnedStore(name, _ => new PostgresConditionalStore(options()));
        return geo;
    }

    /// <summary>
    /// Keeps the directory's rows in a PostgreSQL table: one for all silos of a cluster, another one for each cluster.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="options">The server, the table and the limits.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    public static TBuilder UsePostgresRows<TBuilder>(this TBuilder geo, PostgresStoreOptions options)
        where TBuilder : IGeoRowStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        geo.UseOwnedRowStore(_ => new PostgresConditionalStore(options));
        return geo;
    }

    /// <summary>
    /// Keeps the directory's rows in it, with the options in the configuration section <c>Geo:Rows</c>, read when the host starts: without
    /// that section, with a key in it that is no option or an option out of range the start ends with a
    /// <see cref="GeoConfigurationException"/>.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    public static TBuilder UsePostgresRows<TBuilder>(this TBuilder geo)
        where TBuilder : IGeoRowStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        var options = geo.BindRowStoreOptions<PostgresStoreOptions>(read => read.Validate());
        geo.UseOwnedRowStore(_ => new PostgresConditionalStore(options()));
        return geo;
    }
}
