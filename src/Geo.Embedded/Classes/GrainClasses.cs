using System.Collections.Concurrent;

namespace Geo.Embedded;

/// <summary>The grain classes of a silo, found by grain type, or by interface and the prefix of the class's name.</summary>
internal sealed class GrainClasses
{
    private const char AliasMark = '@';
    private const char PrefixMark = '|';

    private readonly Dictionary<string, GrainClass> _byType = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<(string Interface, string? Prefix), GrainClass> _resolved = new();

    /// <exception cref="GeoConfigurationException">A class cannot be served, or two have one grain type.</exception>
    public GrainClasses(IEnumerable<Type> types)
    {
        foreach (var grainClass in types.Select(t => new GrainClass(t)))
        {
            if (!_byType.TryAdd(grainClass.TypeName, grainClass))
            {
                throw new GeoConfigurationException(
                    $"Grain classes {_byType[grainClass.TypeName].Type.FullName} and {grainClass.Type.FullName} have the same grain type "
                    + $"'{grainClass.TypeName}'; give one of them another by [GrainType].");
            }
        }
    }

    /// <summary>All classes.</summary>
    public IReadOnlyCollection<GrainClass> All => _byType.Values;

    /// <summary>What a client writes in place of a grain type.</summary>
    public static string Alias(GrainInterface grainInterface, string? classPrefix) =>
        classPrefix is null ? AliasMark + grainInterface.Name : $"{AliasMark}{grainInterface.Name}{PrefixMark}{classPrefix}";

    /// <summary>The class of a grain type, or of what a client writes in place of it.</summary>
    /// <exception cref="GeoConfigurationException">This silo serves no such class, or more than one.</exception>
    public GrainClass Find(string type)
    {
        if (_byType.TryGetValue(type, out var known))
        {
            return known;
        }

        if (!type.StartsWith(AliasMark))
        {
            throw new GeoConfigurationException($"This silo serves no grain type '{type}'; add its class in every cluster.");
        }

        var mark = type.IndexOf(PrefixMark, StringComparison.Ordinal);
        return mark < 0 ? Resolve(type[1..], null) : Resolve(type[1..mark], type[(mark + 1)..]);
    }

    /// <summary>The class that implements an interface.</summary>
    /// <exception cref="GeoConfigurationException">This silo serves no such class, or more than one.</exception>
    public GrainClass Resolve(string interfaceName, string? classPrefix)
    {
        if (_resolved.TryGetValue((interfaceName, classPrefix), out var known))
        {
            return known;
        }

        var implementing = _byType.Values.Where(c => c.Interfaces.Any(i => i.Name == interfaceName)).ToList();
        var candidates = classPrefix is null ? implementing
            : implementing.Where(c => c.Type.FullName == classPrefix).ToList() is { Count: > 0 } exact ? exact
            : implementing.Where(c => c.Type.FullName!.StartsWith(classPrefix, StringComparison.Ordinal)).ToList();
        if (candidates.Count != 1)
        {
            var wanted = classPrefix is null ? interfaceName : $"{interfaceName} with a name that begins with '{classPrefix}'";
            throw new GeoConfigurationException(candidates.Count == 0
                ? $"This silo serves no grain class that implements {wanted}; add one."
                : $"This silo serves {candidates.Count} grain classes that implement {wanted} "
                    + $"({string.Join(", ", candidates.Select(c => c.Type.FullName))}); name one of them in GetGrain.");
        }

        // Only what resolves is remembered, so that what arrives from outside cannot fill the memory.
        return _resolved.GetOrAdd((interfaceName, classPrefix), candidates[0]);
    }
}
