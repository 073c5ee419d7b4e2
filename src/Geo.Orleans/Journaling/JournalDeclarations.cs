using System.Collections.Concurrent;
using System.Reflection;

namespace Geo.Orleans;

/// <summary>What the attributes of journaled grain classes ask for; read once a class.</summary>
internal static class JournalDeclarations
{
    // Bounded by the number of grain classes.
    private static readonly ConcurrentDictionary<Type, GrainDeclaration?> Known = new();

    /// <summary>The declaration of a class whose versions Geo keeps; null when its attributes ask nothing of Geo.</summary>
    public static GrainDeclaration? Of(Type grainClass) => Known.GetOrAdd(grainClass, static type =>
    {
        var declaration = GrainDeclaration.Of(type, versioned: true);
        return declaration.Instancing == Instancing.ClusterLocal && declaration.Protocol == ViewProtocol.Local ? null : declaration;
    });

    /// <summary>True for a class whose versions are in the memories of the clusters; its other attributes are not looked at.</summary>
    public static bool AreInMemory(Type grainClass) =>
        grainClass.IsDefined(typeof(OneInstancePerClusterAttribute), inherit: true)
        && grainClass.GetCustomAttributes<ViewProtocolAttribute>().All(protocol => protocol is VersionedLeaderAttribute);
}
