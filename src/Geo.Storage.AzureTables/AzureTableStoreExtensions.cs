using Azure.Core;

namespace Geo.Storage.AzureTables;

/// <summary>Picks an Azure table as a store, in one line of UseGeo or UseGeoEmbedded.</summary>
public static class AzureTableStoreExtensions
{
    /// <summary>
    /// Adds a store in an Azure table for grains' states and versions. Until the table can be reached, outcomes are unknown.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="name">The name that grains know the store by; "Default" where they name none.</param>
    /// <param name="options">The table, the proof and the limits.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range or contradicts another, or the name is taken.</exception>
    public static TBuilder AddAzureTableStore<TBuilder>(this TBuilder geo, string name, AzureTableStoreOptions options)
        where TBuilder : IGeoStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        geo.AddOwnedStore(name, services => Make(options, services));
        return geo;
    }

    /// <summary>
    /// Adds the store with the options in the configuration section <c>Geo:Stores:NAME</c>: address, table, limits and, unless a
    /// credential is given, <c>SharedKey:Account</c> and <c>SharedKey:Key</c> or <c>SharedAccessSignature</c>. It is read when the host
    /// starts: without it, with a key in it that is no option, an option out of range or one that contradicts another the start ends with
    /// a <see cref="GeoConfigurationException"/>.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="name">The name that grains know the store by; "Default" where they name none.</param>
    /// <param name="credential">A Microsoft Entra identity; null where the section has the proof.</param>
    /// <exception cref="GeoConfigurationException">The name is taken.</exception>
    public static TBuilder AddAzureTableStore<TBuilder>(this TBuilder geo, string name, TokenCredential? credential = null)
        where TBuilder : IGeoStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentException.ThrowIfNullOrEmpty(name);
        var options = geo.BindStoreOptions<AzureTableStoreOptions>(name, read => With(read, credential).Validate());
        geo.AddOwnedStore(name, services => Make(With(options(), credential), services));
        return geo;
    }

    /// <summary>Keeps the directory's rows in an Azure table: one for all silos of a cluster, another one for each cluster.</summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="options">The table, the proof and the limits.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range or contradicts another.</exception>
    public static TBuilder UseAzureTableRows<TBuilder>(this TBuilder geo, AzureTableStoreOptions options)
        where TBuilder : IGeoRowStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        geo.UseOwnedRowStore(services => Make(options, services));
        return geo;
    }

    /// <summary>
    /// Keeps the directory's rows in it, with the options in the configuration section <c>Geo:Rows</c>, read when the host starts: without
    /// that section, with a key in it that is no option, an option out of range or one that contradicts another the start ends with a
    /// <see cref="GeoConfigurationException"/>.
    /// </summary>
    /// <param name="geo">The host's builder.</param>
    /// <param name="credential">A Microsoft Entra identity; null where the section has the proof.</param>
    public static TBuilder UseAzureTableRows<TBuilder>(this TBuilder geo, TokenCredential? credential = null)
        where TBuilder : IGeoRowStoreBuilder
    {
        ArgumentNullException.ThrowIfNull(geo);
        var options = geo.BindRowStoreOptions<AzureTableStoreOptions>(read => With(read, credential).Validate());
        geo.UseOwnedRowStore(services => Make(With(options(), credential), services));
        return geo;
    }

    private static AzureTableStoreOptions With(AzureTableStoreOptions options, TokenCredential? credential) =>
        credential is null ? options : options with { Credential = credential };

    private static AzureTableConditionalStore Make(AzureTableStoreOptions options, IServiceProvider services) =>
        new(options, (TimeProvider?)services.GetService(typeof(TimeProvider)));
}
