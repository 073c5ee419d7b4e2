namespace Geo.Consistency.Lattices;

/// <summary>What stands before the cells of a page.</summary>
/// <param name="Number">The asking that it answers.</param>
/// <param name="Bucket">Its first bucket.</param>
/// <param name="Next">The first bucket that is not in it.</param>
/// <param name="Applied">What its sender has.</param>
/// <param name="Collected">What its sender may have forgotten, because all had seen it.</param>
/// <param name="IsSnapshot">True when it has every cell of its buckets: those it has not are empty at its sender.</param>
/// <param name="Clock">Its sender's clock.</param>
internal sealed record LatticePageHead(
    long Number, int Bucket, int Next, VectorClock Applied, VectorClock Collected, bool IsSnapshot, Stamp Clock)
{
    internal bool IsLast => Next == LatticeCells.Buckets;

    internal void Write(LatticeWriter to)
    {
        to.Body.WriteUnsigned((ulong)Number);
        to.Body.WriteUnsigned((ulong)Bucket);
        to.Body.WriteUnsigned((ulong)Next);
        Applied.Write(to);
        Collected.Write(to);
        to.Body.WriteByte(IsSnapshot ? (byte)1 : (byte)0);
        Clock.Write(to);
    }

    internal static LatticePageHead Read(ref LatticeReader from) => new(
        from.ReadNumber(), LatticePull.ReadBucket(ref from), LatticePull.ReadBucket(ref from), from.Read<VectorClock>(),
        from.Read<VectorClock>(), from.ReadFlag(), from.Read<Stamp>());
}
