using System.Globalization;
using System.Text;

namespace Geo.Consistency.Lattices;

/// <summary>
/// The grains whose replicas are in the same clusters, and tell each other what they have in messages of their own: all of a domain, or,
/// of a class that has replicas in some clusters only, one of <see cref="Parts"/> parts. Silos that have started with another number of
/// replicas are of one group, so that what moves is told.
/// </summary>
/// <param name="Domain">Whether order is kept.</param>
/// <param name="Replicas">How many clusters have a replica; 0 for all.</param>
/// <param name="Part">The part; 0 where all have one.</param>
/// <param name="Class">The class of which it is a part; null where all clusters have replicas.</param>
internal readonly record struct LatticeGroup(LatticeDomain Domain, int Replicas = 0, int Part = 0, string? Class = null)
{
    /// <summary>
    /// The number of parts, alike in all clusters: more spread grains more evenly, and cost a message an epoch each where all change.
    /// </summary>
    internal const int Parts = 32;

    /// <summary>True where some clusters only have replicas.</summary>
    internal bool IsPart => Replicas > 0;

    /// <summary>The service under which replicas talk to each other.</summary>
    internal string Service => (Domain, IsPart) switch
    {
        (_, true) => string.Create(CultureInfo.InvariantCulture, $"geo.lattice.part.{Part}.{Class}"),
        (LatticeDomain.Free, _) => "geo.lattice",
        _ => "geo.lattice.ordered",
    };

    /// <summary>What the stored rows of a class in a cluster begin with.</summary>
    internal string RowsOf(ClusterId cluster, string grainClass) => IsPart
        ? string.Create(CultureInfo.InvariantCulture, $"lattice-part/{cluster.Name}/{grainClass}/{Part}/")
        : $"lattice/{cluster.Name}/{grainClass}/";

    /// <summary>The group of a grain whose class has replicas in some clusters only.</summary>
    internal static LatticeGroup Of(GrainKey grain, int replicas) => new(LatticeDomain.Free, replicas, PartOf(grain), grain.Type);

    /// <summary>The part that a grain is of.</summary>
    internal static int PartOf(GrainKey grain) =>
        (int)(StableHash.Hash128(Encoding.UTF8.GetBytes(grain.ToString())).High % Parts);

    public static implicit operator LatticeGroup(LatticeDomain domain) => new(domain);
}
