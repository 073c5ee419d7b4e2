namespace Geo.Consistency.Lattices;

/// <summary>What stands before the cells of a page.</summary>
/// <param name="Number">The asking that it answers.</param>
/// <param name="From">The place where it begins.</param>
/// <param name="Next">The place where it ends.</param>
/// <param name="Applied">
/// What its sender has: all of it, or, where order matters, all but for the updates that its cells say are lacking.
/// </param>
/// <param name="Collected">What its sender may have forgotten, because all had seen it.</param>
/// <param name="IsSnapshot">True when it has every cell between the places: those it has not are empty at its sender.</param>
/// <param name="LacksAnyOf">What any grain may lack something of, where more do than the sender remembers; bottom where not.</param>
internal sealed record LatticePageHead(
    long Number, LatticePlace From, LatticePlace Next, VectorClock Applied, VectorClock Collected, bool IsSnapshot, VectorClock LacksAnyOf)
{
    internal bool IsLast => Next == LatticePlace.End;

    internal void Write(LatticeWriter to)
    {
        to.Body.WriteUnsigned((ulong)Number);
        From.Write(to);
        Next.Write(to);
        Applied.Write(to);
        Collected.Write(to);
        to.Body.WriteByte(IsSnapshot ? (byte)1 : (byte)0);
        LacksAnyOf.Write(to);
    }

    internal static LatticePageHead Read(ref LatticeReader from) => new(
        from.ReadNumber(), LatticePlace.Read(ref from), LatticePlace.Read(ref from), from.Read<VectorClock>(), from.Read<VectorClock>(),
        from.ReadFlag(), from.Read<VectorClock>());
}
