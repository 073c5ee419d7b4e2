namespace Geo.Embedded;

/// <summary>The stores of a silo by their names.</summary>
internal sealed class GrainStores(IReadOnlyDictionary<string, IConditionalStore> stores)
{
    /// <summary>The store of a name; the default one for null.</summary>
    /// <exception cref="GeoConfigurationException">There is none.</exception>
    public IConditionalStore Find(string? name) => stores.TryGetValue(name ?? GeoStorage.Default, out var store)
        ? store
        : throw new GeoConfigurationException(
            $"There is no store named '{name}' (there are: {string.Join(", ", stores.Keys.Order(StringComparer.Ordinal))}); add it with AddStore.");

    /// <summary>Checks that what a grain class asks for is there.</summary>
    /// <exception cref="GeoConfigurationException">It is not, or a state's type cannot be created.</exception>
    public void Check(GrainClass grainClass)
    {
        try
        {
            if (grainClass.Declaration.Protocol == ViewProtocol.BatchedCas)
            {
                Find(grainClass.Declaration.Storage);
            }

            foreach (var slot in grainClass.States)
            {
                _ = slot.Storage == GeoStorage.Volatile ? null : Find(slot.Storage);
                if (!slot.StateType.IsValueType && slot.StateType.GetConstructor(Type.EmptyTypes) is null)
                {
                    throw new GeoConfigurationException($"Its state {slot.StateType.FullName} has no public constructor without parameters; add one.");
                }
            }
        }
        catch (GeoConfigurationException e)
        {
            throw new GeoConfigurationException($"Grain class {grainClass.Type.FullName}: {e.Message}", e);
        }
    }

    /// <summary>Makes a state of a grain.</summary>
    public IStoredState Create(GrainKey key, StateSlot slot, IGeoSerializer serializer, Action<string, Exception> distrust) =>
        (IStoredState)(slot.Storage == GeoStorage.Volatile
            ? Activator.CreateInstance(typeof(VolatileState<>).MakeGenericType(slot.StateType))!
            : Activator.CreateInstance(
                typeof(StoredState<>).MakeGenericType(slot.StateType), key, slot, Find(slot.Storage), serializer, distrust)!);
}
