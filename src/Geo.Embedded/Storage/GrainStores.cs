using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>The stores of a silo by their names.</summary>
/// <param name="stores">The stores.</param>
/// <param name="memory">The one that stands in for a default store that was not given: in this process's memory.</param>
/// <param name="options">How long a store is waited for, and how often in vain.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">Told of operations that did not end in time.</param>
internal sealed class GrainStores(
    IReadOnlyDictionary<string, IConditionalStore> stores, IConditionalStore memory, GeoEmbeddedOptions options, TimeProvider time,
    ILogger logger)
{
    private readonly Dictionary<string, IConditionalStore> _measured = stores.ToDictionary(
        named => named.Key, IConditionalStore (named) => new MeasuredStore(named.Key, named.Value, time), StringComparer.Ordinal);

    // One for all grains: a grain whose state could not be read is begun anew with the next call, and would not remember.
    private readonly Dictionary<string, BoundedStore> _bounded = stores.ToDictionary(
        named => named.Key,
        named => new BoundedStore(
            new MeasuredStore(named.Key, named.Value, time),
            new(options.RequestTimeout, options.MaxAbandonedOperations)
            {
                TimedOut = () => EmbeddedMetrics.StateBoundsHit.Add(1, new KeyValuePair<string, object?>("store", named.Key)),
                Refused = () => EmbeddedMetrics.StateRefusals.Add(1, new KeyValuePair<string, object?>("store", named.Key)),
            },
            time, logger),
        StringComparer.Ordinal);

    /// <summary>The stores by name.</summary>
    public IReadOnlyDictionary<string, IConditionalStore> All => stores;

    /// <summary>The stores that the clusters keep together.</summary>
    public IEnumerable<IClusterStore> KeptTogether => stores.Values.OfType<IClusterStore>();

    /// <summary>The store of a name; the default one for null.</summary>
    /// <exception cref="GeoConfigurationException">There is none.</exception>
    public IConditionalStore Find(string? name) => Of(_measured, name);

    /// <summary>The same as the application gave it, for those who look at what it is.</summary>
    /// <exception cref="GeoConfigurationException">There is none.</exception>
    public IConditionalStore Given(string name) => Of(stores, name);

    private static IConditionalStore Of(IReadOnlyDictionary<string, IConditionalStore> stores, string? name) =>
        stores.TryGetValue(name ?? GeoStorage.Default, out var store) ? store
        : throw new GeoConfigurationException(
            $"There is no store named '{name}' (there are: {string.Join(", ", stores.Keys.Order(StringComparer.Ordinal))}); add it with "
            + "AddStore.");

    /// <summary>Checks that what a grain class asks for is there.</summary>
    /// <exception cref="GeoConfigurationException">It is not, or a state's type cannot be created.</exception>
    public void Check(GrainClass grainClass)
    {
        try
        {
            if (grainClass.Declaration.UsesStore)
            {
                Find(grainClass.Declaration.Storage);
            }

            foreach (var slot in grainClass.States)
            {
                _ = slot.Storage == GeoStorage.Volatile ? null : Find(slot.Storage);
                if (!slot.StateType.IsValueType && slot.StateType.GetConstructor(Type.EmptyTypes) is null)
                {
                    throw new GeoConfigurationException(
                        $"Its state {slot.StateType.FullName} has no public constructor without parameters; add one.");
                }
            }
        }
        catch (GeoConfigurationException e)
        {
            throw new GeoConfigurationException($"Grain class {grainClass.Type.FullName}: {e.Message}", e);
        }
    }

    /// <summary>The store in which stands who owns the grains of the mode Quorum.</summary>
    /// <exception cref="GeoConfigurationException">There is none.</exception>
    public IConditionalStore OfOwners(Type grainClass, string name) =>
        stores.TryGetValue(name, out var store) ? store : throw QuorumSetup.NoStore(grainClass, name);

    /// <summary>The same beside other clusters, which must have it in common; null where no class has the mode.</summary>
    /// <exception cref="GeoConfigurationException">There is none, or it is in this process's memory.</exception>
    public IConditionalStore? SharedOwners(IEnumerable<GrainClass> classes, string name) =>
        classes.FirstOrDefault(c => c.Declaration.IsOwnedByQuorum) is not { } first ? null
        : OfOwners(first.Type, name) is var store && store is not InMemoryConditionalStore ? store
        : throw QuorumSetup.InMemory(first.Type, name);

    /// <summary>The stores that all clusters must have in common, by name.</summary>
    /// <param name="classes">The grain classes that are served.</param>
    /// <param name="allowUnshared">True when a store that is certainly not shared will do.</param>
    /// <exception cref="GeoConfigurationException">One of them is in this process's memory.</exception>
    public IReadOnlyDictionary<string, IConditionalStore> Shared(IEnumerable<GrainClass> classes, bool allowUnshared)
    {
        var shared = new Dictionary<string, IConditionalStore>(StringComparer.Ordinal);
        foreach (var grainClass in classes)
        {
            foreach (var name in grainClass.SharedStores)
            {
                shared[name] = allowUnshared || Of(stores, name) != memory ? Of(stores, name) : throw new GeoConfigurationException(
                    $"Grain class {grainClass.Type.FullName} works in all clusters and keeps its values in the store '{name}', which is "
                    + "in the memory of this"
                    + $" process, where no other cluster finds them. Add a store that all clusters reach (AddStore(\"{name}\", ...)), or, "
                    + "for a"
                    + $" demonstration in which grains may lose their values, set {nameof(GeoEmbeddedOptions.AllowUnsharedStores)} in all "
                    + "clusters.");
            }
        }

        return shared;
    }

    /// <summary>Makes a state of a grain.</summary>
    public IStoredState Create(GrainKey key, StateSlot slot, IGeoSerializer serializer, Action<string, Exception> distrust) =>
        (IStoredState)(slot.Storage == GeoStorage.Volatile
            ? Activator.CreateInstance(typeof(VolatileState<>).MakeGenericType(slot.StateType))!
            : Activator.CreateInstance(
                typeof(StoredState<>).MakeGenericType(slot.StateType), key, slot, _bounded[slot.Storage], serializer, distrust)!);
}
