namespace Geo.Consistency.Lattices;

/// <summary>A place in the order of all grains, which all replicas have alike: by bucket, and by name within one.</summary>
/// <param name="Bucket">The bucket.</param>
/// <param name="After">The last name of the bucket that is before the place; empty for none.</param>
internal readonly record struct LatticePlace(int Bucket, string After)
{
    internal static LatticePlace Start { get; } = new(0, "");

    internal static LatticePlace End { get; } = new(LatticeCells.Buckets, "");

    /// <summary>True when a grain is before the place.</summary>
    internal bool IsBehind(GrainKey grain) => LatticeCells.BucketOf(grain) is var bucket
        && (bucket < Bucket || (bucket == Bucket && string.CompareOrdinal(grain.ToString(), After) <= 0));

    internal void Write(LatticeWriter to)
    {
        to.Body.WriteUnsigned((ulong)Bucket);
        to.Body.WriteText(After);
    }

    /// <exception cref="GeoSerializationException">It is damaged.</exception>
    internal static LatticePlace Read(ref LatticeReader from) => from.ReadNumber() is var bucket and <= LatticeCells.Buckets
        ? new((int)bucket, from.Body.ReadText() ?? "")
        : throw LatticeReader.Damaged("names a bucket that there is not");
}
