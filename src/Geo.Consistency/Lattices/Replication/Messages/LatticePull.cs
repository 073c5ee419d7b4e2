namespace Geo.Consistency.Lattices;

/// <summary>Asks for all that a replica lacks, from one place on.</summary>
/// <param name="Number">Tells this asking from others of the same replica.</param>
/// <param name="From">The place.</param>
/// <param name="Applied">What the replica has.</param>
internal sealed record LatticePull(long Number, LatticePlace From, VectorClock Applied)
{
    internal void Write(LatticeWriter to)
    {
        to.Body.WriteUnsigned((ulong)Number);
        From.Write(to);
        Applied.Write(to);
    }

    internal static LatticePull Read(ref LatticeReader from) =>
        new(from.ReadNumber(), LatticePlace.Read(ref from), from.Read<VectorClock>());
}
