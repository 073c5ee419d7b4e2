using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Reflection;

namespace Geo.Embedded;

/// <summary>A grain interface with the plans of its methods; made once for each interface.</summary>
internal sealed class GrainInterface
{
    private static readonly ConcurrentDictionary<Type, GrainInterface> Known = new();

    private readonly FrozenDictionary<MethodInfo, GrainMethod> _methods;

    private GrainInterface(Type type)
    {
        Type = type;
        Name = type.ToString();
        _methods = type.GetInterfaces().Append(type)
            .SelectMany(i => i.GetMethods(BindingFlags.Instance | BindingFlags.Public))
            .ToFrozenDictionary(m => m, GrainMethod.Of);
        Prototype = GrainReference.PrototypeOf(this);
    }

    /// <summary>The interface.</summary>
    public Type Type { get; }

    /// <summary>Its name in calls of clients, which do not know the grain types.</summary>
    public string Name { get; }

    /// <summary>The methods, inherited ones included.</summary>
    public IEnumerable<GrainMethod> Methods => _methods.Values;

    /// <summary>The reference of which all others are copies.</summary>
    public GrainReference Prototype { get; }

    /// <summary>The plan of a grain interface.</summary>
    /// <exception cref="GeoConfigurationException">One of its methods cannot be called remotely.</exception>
    public static GrainInterface Of(Type type) => Known.TryGetValue(type, out var known) ? known : Known.GetOrAdd(type, Create);

    /// <summary>The plan of a method.</summary>
    public GrainMethod MethodOf(MethodInfo method) => _methods[method];

    private static GrainInterface Create(Type type) =>
        type.IsInterface && typeof(IGrain).IsAssignableFrom(type)
            ? new GrainInterface(type)
            : throw new GeoConfigurationException(
                $"{type.FullName} is not a grain interface; derive it from IGrainWithStringKey or another interface that names its key.");
}
