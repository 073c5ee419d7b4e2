using System.Reflection;

namespace Geo.Embedded;

/// <summary>Collects the grain classes that a silo serves.</summary>
internal sealed class GrainCatalogBuilder
{
    private readonly HashSet<Type> _classes = [];

    /// <summary>The classes, in an order that does not depend on the process.</summary>
    public IReadOnlyList<Type> Classes => [.. _classes.OrderBy(c => c.FullName, StringComparer.Ordinal)];

    /// <summary>Adds a class; adding it again changes nothing.</summary>
    public void Add(Type grainClass) => _classes.Add(grainClass);

    /// <summary>Adds the concrete grain classes of an assembly.</summary>
    public void AddAll(Assembly assembly)
    {
        foreach (var type in assembly.GetTypes())
        {
            if (type is { IsClass: true, IsAbstract: false, IsGenericTypeDefinition: false } && type.IsSubclassOf(typeof(Grain)))
            {
                Add(type);
            }
        }
    }
}
