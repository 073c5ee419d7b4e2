using System.Collections.Concurrent;
using System.Numerics;

namespace Geo.Embedded;

/// <summary>Tells which types' values can be shared between grains because nobody can change them.</summary>
internal static class Immutability
{
    private static readonly ConcurrentDictionary<Type, bool> Known = new();

    private static readonly HashSet<Type> Basic =
    [
        typeof(string), typeof(decimal), typeof(Guid), typeof(DateTime), typeof(DateTimeOffset), typeof(DateOnly), typeof(TimeOnly),
        typeof(TimeSpan), typeof(Uri), typeof(Version), typeof(BigInteger), typeof(Half), typeof(Int128), typeof(UInt128),
        typeof(GrainKey), typeof(ClusterId), typeof(CancellationToken), typeof(Nothing),
    ];

    private static readonly HashSet<string> ContainerNamespaces = ["System.Collections.Immutable", "System.Collections.Frozen"];

    public static bool Holds(Type type) => Known.GetOrAdd(type, Decide);

    private static bool Decide(Type type) =>
        type.IsPrimitive
        || type.IsEnum
        || Basic.Contains(type)
        || type.IsDefined(typeof(ImmutableAttribute), inherit: false)
        || (type.IsInterface && typeof(IAddressable).IsAssignableFrom(type))
        || (type.IsGenericType && IsContainer(type) && type.GetGenericArguments().All(Holds));

    private static bool IsContainer(Type type)
    {
        var definition = type.GetGenericTypeDefinition();
        return definition == typeof(Nullable<>)
            || definition == typeof(KeyValuePair<,>)
            || definition.FullName!.StartsWith("System.Tuple`", StringComparison.Ordinal)
            || (definition.FullName.StartsWith("System.ValueTuple`", StringComparison.Ordinal))
            || (ContainerNamespaces.Contains(definition.Namespace ?? "")
                && !definition.Name.StartsWith("IImmutable", StringComparison.Ordinal)
                && !type.IsNested);
    }
}
