namespace Geo.Storage.Sqlite;

/// <summary>Picks SQLite as a store, in one line of UseGeo or UseGeoEmbedded.</summary>
public static class SqliteStoreExtensions
{
    /// <summary>
    /// Adds a store in an SQLite file for grains' states and versions. The host opens the file when it starts, and closes it.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="name">The name that grains know the store by; "Default" where they name none.</param>
    /// <param name="options">The file and its limits.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range, or the name is taken.</exception>
    public static TBuilder AddSqliteStore<TBuilder>(this TBuilder geo, string name, SqliteStoreOptions options)
        where TBuilder : IGeoStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        geo.AddOwnedStore(name, _ => SqliteConditionalStore.Open(options));
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
    public static TBuilder AddSqliteStore<TBuilder>(this TBuilder geo, string name)
        where TBuilder : IGeoStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentException.ThrowIfNullOrEmpty(name);
        var options = geo.BindStoreOptions<SqliteStoreOptions>(name, read => read.Validate());
        geo.AddOwnedStore(name, _ => SqliteConditionalStore.Open(options()));
        return geo;
    }

    /// <summary>Keeps the directory's rows in an SQLite file, which all silos of the cluster open: for silos on one machine.</summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="options">The file and its limits.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    public static TBuilder UseSqliteRows<TBuilder>(this TBuilder geo, SqliteStoreOptions options)
        where TBuilder : IGeoRowStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        geo.UseOwnedRowStore(_ => SqliteConditionalStore.Open(options));
        return geo;
    }

    /// <summary>
    /// Keeps the directory's rows in it, with the options in the configuration section <c>Geo:Rows</c>, read when the host starts: without
    /// that section, with a key in it that is no option or an option out of range the start ends with a
    /// <see cref="GeoConfigurationException"/>.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    public static TBuilder UseSqliteRows<TBuilder>(this TBuilder geo)
        where TBuilder : IGeoRowStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        var options = geo.BindRowStoreOptions<SqliteStoreOptions>(read => read.Validate());
        geo.UseOwnedRowStore(_ => SqliteConditionalStore.Open(options()));
        return geo;
    }
}
