namespace Geo.Consistency.Lattices;

/// <summary>Replicas are apart by what they keep, so that grains which need no order do not wait for it (design 4.2).</summary>
internal enum LatticeDomain
{
    /// <summary>Updates are shown as they come.</summary>
    Free,

    /// <summary>Updates are shown after those that they follow, and none before those of its source with lower numbers.</summary>
    Ordered,
}
