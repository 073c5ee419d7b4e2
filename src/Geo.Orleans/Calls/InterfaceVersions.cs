using System.Collections.Concurrent;
using System.Globalization;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>
/// The versions of grain interfaces (<c>[Version]</c>). Orleans keeps calls of a newer version from silos that have only an older one; a
/// call that goes to another cluster leaves with its version, and is refused where that is newer than any silo there has.
/// </summary>
internal sealed class InterfaceVersions(IClusterManifestProvider manifests, GrainInterfaceTypeResolver types)
{
    // Bounded by the number of interfaces.
    private readonly ConcurrentDictionary<Type, ushort> _own = new();

    /// <summary>The version of an interface that this process calls; 0 where it has none.</summary>
    public ushort Own(Type interfaceType) =>
        _own.GetOrAdd(interfaceType, static (type, versions) => In(versions.Manifests.LocalGrainManifest, versions.Name(type)), this);

    /// <summary>The newest version of an interface that a silo of this cluster has; 0 where none has one.</summary>
    public ushort NewestHere(Type interfaceType)
    {
        var name = Name(interfaceType);
        return Manifests.Current.AllGrainManifests.Max(manifest => In(manifest, name));
    }

    private IClusterManifestProvider Manifests => manifests;

    private GrainInterfaceType Name(Type type) =>
        types.GetGrainInterfaceType(type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type);

    private static ushort In(GrainManifest manifest, GrainInterfaceType name) =>
        manifest.Interfaces.TryGetValue(name, out var found)
            && found.Properties.TryGetValue(WellKnownGrainInterfaceProperties.Version, out var text)
            && ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var version)
            ? version
            : (ushort)0;
}
