using System.Collections.Concurrent;
using System.Globalization;
using Geo.Consistency.Lattices;
using Orleans.Metadata;

namespace Geo.Orleans;

/// <summary>
/// Knows which clusters have replicas of coordination-free grains that not all have (<see cref="CoordinationFreeAttribute.Replicas"/>); on
/// silos and clients, by what silos tell of their grain types. Silos that start tell it anew: with other clusters, or another number.
/// </summary>
internal sealed class PartialGrains(GrainPropertiesResolver properties, IClusterManifestProvider manifests)
{
    private volatile Told _told = new(MajorMinorVersion.MinValue);

    /// <summary>True for types whose grains have replicas in some clusters only.</summary>
    public bool IsPartial(GrainType type) => Find(type) is not null;

    /// <summary>True for a grain that this cluster has a replica of, and for all grains of other types.</summary>
    public bool IsHere(GrainId grain) => Find(grain.Type) is not { } type || type.Placement.IsHere(GroupOf(grain, type.Replicas));

    /// <summary>
    /// The clusters that have a replica of a grain whose type <see cref="IsPartial"/>, those to call first before the others.
    /// </summary>
    public IReadOnlyList<ClusterId> HoldersOf(GrainId grain) =>
        Find(grain.Type) is { } type ? type.Placement.HoldersOf(GroupOf(grain, type.Replicas)) : [];

    private static LatticeGroup GroupOf(GrainId grain, int replicas) => LatticeGroup.Of(GrainNames.ToKey(grain), replicas);

    private (LatticePlacement Placement, int Replicas)? Find(GrainType type)
    {
        var (version, told) = (manifests.Current.Version, _told);
        if (!told.Version.Equals(version))
        {
            _told = told = new(version);
        }

        if (told.Types.TryGetValue(type, out var known))
        {
            return known;
        }

        if (!properties.TryGetGrainProperties(type, out var found))
        {
            return null;
        }

        if (found.Properties.TryGetValue(GlobalSingleProperties.ReplicasProperty, out var replicas)
            && found.Properties.TryGetValue(GlobalSingleProperties.ClustersProperty, out var names))
        {
            ClusterId[] clusters = [.. names.Split(',').Select(name => new ClusterId(name))];
            var leaving = found.Properties.GetValueOrDefault(GlobalSingleProperties.LeavingProperty)?.Split(',');
            known = (new(clusters[0], () => clusters, leaving), int.Parse(replicas, CultureInfo.InvariantCulture));
        }

        told.Types.TryAdd(type, known);
        return known;
    }

    /// <summary>
    /// The types by one version of what silos tell. Bounded by the number of grain types. A type that is not known yet is not remembered:
    /// its silo may still be joining.
    /// </summary>
    private sealed class Told(MajorMinorVersion version)
    {
        public MajorMinorVersion Version => version;

        public ConcurrentDictionary<GrainType, (LatticePlacement Placement, int Replicas)?> Types { get; } = new();
    }
}
