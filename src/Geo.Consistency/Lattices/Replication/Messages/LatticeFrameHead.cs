namespace Geo.Consistency.Lattices;

/// <summary>What stands before the cells of a frame.</summary>
/// <param name="After">The number after which it has all updates of its sender.</param>
/// <param name="Through">The number up to which it has them.</param>
/// <param name="Follows">What its receiver is to show before; bottom where updates are shown as they come.</param>
internal sealed record LatticeFrameHead(long After, long Through, VectorClock Follows)
{
    internal void Write(LatticeWriter to)
    {
        to.Body.WriteUnsigned((ulong)After);
        to.Body.WriteUnsigned((ulong)Through);
        Follows.Write(to);
    }

    internal static LatticeFrameHead Read(ref LatticeReader from) => new(from.ReadNumber(), from.ReadNumber(), from.Read<VectorClock>());
}
