namespace Geo.Orleans;

/// <summary>The conditional stores of a silo by name.</summary>
internal sealed class SiloStores
{
    private readonly Dictionary<string, Lazy<IConditionalStore>> _stores;
    private readonly Lazy<IConditionalStore> _rows;

    internal SiloStores(GeoSiloBuilder builder, IServiceProvider services)
    {
        _stores = builder.Stores.ToDictionary(
            store => store.Key, store => new Lazy<IConditionalStore>(() => store.Value(services)), StringComparer.Ordinal);
        _rows = new(() => (builder.RowStore ?? throw new GeoConfigurationException(
            "No store for the directory's rows; call UseRowStore in UseGeo, with one store for all silos of this cluster."))(services));
    }

    /// <summary>The store of the directory's rows.</summary>
    internal IConditionalStore Rows => _rows.Value;

    /// <summary>True when a store of that name was added.</summary>
    internal bool Has(string name) => _stores.ContainsKey(name);

    /// <summary>The store of a name.</summary>
    /// <param name="name">The name; null for <see cref="GeoStorage.Default"/>.</param>
    /// <exception cref="GeoConfigurationException">No store of that name was added.</exception>
    public IConditionalStore Named(string? name) =>
        _stores.TryGetValue(name ?? GeoStorage.Default, out var store)
            ? store.Value
            : throw new GeoConfigurationException(
                $"No store named '{name ?? GeoStorage.Default}' was added; add it in UseGeo with AddStore, the same one in all clusters.");
}
