using System.Reflection;

namespace Geo.Embedded;

/// <summary>Collects the grain classes that a silo serves.</summary>
internal sealed class GrainCatalogBuilder
{
    private readonly HashSet<Type> _classes = [];

    /// <summary>The classes, in an order that does not depend on the process.</summary>
    public IReadOnlyList<Type> Classes => [.. _classes.OrderBy(c => c.FullName, StringComparer.Ordinal)];

    /// <summary>
    /// What there is to know of the classes; made once, however often a silo starts with them, or set where it was made before.
    /// </summary>
    /// <exception cref="GeoConfigurationException">A class cannot be served, or two have one grain type.</exception>
    public GrainClasses Metadata
    {
        get => field ??= new GrainClasses(Classes);
        set;
    }

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
