namespace Geo.Consistency.Lattices;

/// <summary>Asks for all that a replica lacks, from one bucket on.</summary>
/// <param name="Number">Tells this asking from others of the same replica.</param>
/// <param name="Bucket">The first bucket.</param>
/// <param name="Applied">What the replica has.</param>
internal sealed record LatticePull(long Number, int Bucket, VectorClock Applied)
{
    internal void Write(LatticeWriter to)
    {
        to.Body.WriteUnsigned((ulong)Number);
        to.Body.WriteUnsigned((ulong)Bucket);
        Applied.Write(to);
    }

    internal static LatticePull Read(ref LatticeReader from) => new(from.ReadNumber(), ReadBucket(ref from), from.Read<VectorClock>());

    internal static int ReadBucket(ref LatticeReader from) =>
        from.ReadNumber() is var bucket and <= LatticeCells.Buckets
            ? (int)bucket
            : throw LatticeReader.Damaged("names a bucket that there is not");
}
