using System.Reflection;
using Orleans.EventSourcing;
using Orleans.Providers;

namespace Geo.Orleans;

/// <summary>A state that the instances of a grain class keep in a grain storage.</summary>
/// <param name="State">The state, for people.</param>
/// <param name="Storage">The name of the grain storage; null for the default one.</param>
internal sealed record StorageUse(string State, string? Storage)
{
    /// <summary>The name for people and for <see cref="GeoSiloBuilder"/>.</summary>
    public string StorageName => Storage ?? ProviderConstants.DEFAULT_STORAGE_PROVIDER_NAME;

    /// <summary>
    /// What a class keeps in grain storages: by its constructors, as a <see cref="Grain{T}"/>, or as a journal of Orleans' own.
    /// </summary>
    /// <param name="grainClass">The grain class.</param>
    /// <param name="journals">Finds the journals of a log-consistency provider by its name; null where there is none of that name.</param>
    public static IEnumerable<StorageUse> Of(Type grainClass, Func<string, ILogViewAdaptorFactory?> journals)
    {
        foreach (var parameter in grainClass.GetConstructors().SelectMany(constructor => constructor.GetParameters()))
        {
            foreach (var state in parameter.GetCustomAttributes().OfType<IPersistentStateConfiguration>())
            {
                yield return Of(state, parameter.Name);
            }
        }

        if (HasBase(grainClass, typeof(Grain<>)))
        {
            yield return new("state as a Grain<T>", StorageOf(grainClass));
        }

        if (GlobalSingleProperties.IsVersioned(grainClass)
            && grainClass.GetCustomAttribute<LogConsistencyProviderAttribute>()?.ProviderName is { } provider
            && provider != GeoJournalFactory.BatchedCas && journals(provider) is { UsesStorageProvider: true })
        {
            yield return new($"journal of the log-consistency provider '{provider}'", StorageOf(grainClass));
        }
    }

    /// <summary>What a state that is asked for is kept in.</summary>
    public static StorageUse Of(IPersistentStateConfiguration state, string? name) =>
        new($"state '{(string.IsNullOrEmpty(state.StateName) ? name : state.StateName)}'", NullIfEmpty(state.StorageName));

    private static string? StorageOf(Type grainClass) =>
        NullIfEmpty(grainClass.GetCustomAttribute<StorageProviderAttribute>()?.ProviderName);

    private static string? NullIfEmpty(string? name) => string.IsNullOrWhiteSpace(name) ? null : name;

    private static bool HasBase(Type grainClass, Type definition)
    {
        for (var type = grainClass.BaseType; type is not null; type = type.BaseType)
        {
            if (type.IsGenericType && type.GetGenericTypeDefinition() == definition)
            {
                return true;
            }
        }

        return false;
    }
}
