using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans;

/// <summary>The conditional stores of a silo by name.</summary>
internal sealed class SiloStores
{
    private readonly Dictionary<string, Lazy<IConditionalStore>> _stores;
    private readonly Dictionary<string, Lazy<IConditionalStore>> _measured;
    private readonly Lazy<IConditionalStore> _rows;
    private readonly Lazy<IConditionalStore> _measuredRows;
    private readonly Lock _gate = new();
    private readonly List<IClusterStore> _keptTogether = [];
    private readonly List<IDisposable> _parts = [];
    private IClusterMessenger? _messenger;

    internal SiloStores(GeoSiloBuilder builder, IServiceProvider services)
    {
        _stores = builder.Stores.ToDictionary(
            store => store.Key, store => new Lazy<IConditionalStore>(() => Joined(store.Value(services))), StringComparer.Ordinal);
        _rows = new(() => (builder.RowStore ?? throw new GeoConfigurationException(
            "No store for the directory's rows; call UseRowStore in UseGeo, with one store for all silos of this cluster."))(services));
        var time = services.GetRequiredService<TimeProvider>();
        _measured = _stores.ToDictionary(
            store => store.Key, store => new Lazy<IConditionalStore>(() => new MeasuredStore(store.Key, store.Value.Value, time)),
            StringComparer.Ordinal);
        _measuredRows = new(() => new MeasuredStore(StoreAnswer.DirectoryRows, _rows.Value, time));
    }

    /// <summary>The store of the directory's rows.</summary>
    internal IConditionalStore Rows => _measuredRows.Value;

    /// <summary>The same as the application gave it, for those who look at what it is.</summary>
    internal IConditionalStore GivenRows => _rows.Value;

    /// <summary>The stores that something has asked for, by name.</summary>
    internal IEnumerable<KeyValuePair<string, IConditionalStore>> Made => _stores.Where(store => store.Value.IsValueCreated)
        .Select(store => KeyValuePair.Create(store.Key, store.Value.Value))
        .Append(KeyValuePair.Create(StoreAnswer.DirectoryRows, GivenRows));

    /// <summary>The stores that the clusters keep together, as far as something has asked for them.</summary>
    internal IReadOnlyList<IClusterStore> KeptTogether
    {
        get
        {
            lock (_gate)
            {
                return [.. _keptTogether];
            }
        }
    }

    /// <summary>True when a store of that name was added.</summary>
    internal bool Has(string name) => _stores.ContainsKey(name);

    /// <summary>The store of a name.</summary>
    /// <param name="name">The name; null for <see cref="GeoStorage.Default"/>.</param>
    /// <exception cref="GeoConfigurationException">No store of that name was added.</exception>
    public IConditionalStore Named(string? name) => Of(_measured, name);

    /// <summary>The same as the application gave it, for those who look at what it is.</summary>
    /// <exception cref="GeoConfigurationException">No store of that name was added.</exception>
    internal IConditionalStore Given(string name) => Of(_stores, name);

    private static IConditionalStore Of(Dictionary<string, Lazy<IConditionalStore>> stores, string? name) =>
        stores.TryGetValue(name ?? GeoStorage.Default, out var store)
            ? store.Value
            : throw new GeoConfigurationException(
                $"No store named '{name ?? GeoStorage.Default}' was added; add it in UseGeo with AddStore, the same one in all clusters.");

    /// <summary>Lends the stores that the clusters keep together the messenger, those too that are made later.</summary>
    /// <exception cref="GeoConfigurationException">This cluster's part in one does not fit its settings.</exception>
    internal void Join(IClusterMessenger messenger)
    {
        lock (_gate)
        {
            _messenger = messenger;
            _parts.AddRange(_keptTogether.Select(s => s.Join(messenger)));
        }
    }

    /// <summary>
    /// Makes the stores that nobody has asked for yet: this cluster keeps its part of one that all keep together, whichever classes it
    /// serves.
    /// </summary>
    internal void MakeAll()
    {
        foreach (var store in _stores.Values)
        {
            _ = store.Value;
        }
    }

    /// <summary>Takes no part in the stores of all clusters any more.</summary>
    internal void Leave()
    {
        lock (_gate)
        {
            _parts.ForEach(p => p.Dispose());
            _parts.Clear();
        }
    }

    private IConditionalStore Joined(IConditionalStore store)
    {
        if (store is not IClusterStore kept)
        {
            return store;
        }

        lock (_gate)
        {
            _keptTogether.Add(kept);
            if (_messenger is { } messenger)
            {
                _parts.Add(kept.Join(messenger));
            }
        }

        return store;
    }
}
