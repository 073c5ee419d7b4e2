namespace Geo.Consistency.Lattices;

/// <summary>
/// The stamps of one transaction: one time, drawn at its first write, and the numbers of the writes (Anna section VI-C). So of two
/// transactions one comes before the other in all registers that both write.
/// </summary>
internal sealed class TransactionStamp
{
    private Stamp? _first;
    private ushort _writes;

    /// <summary>The time of the latest stamp that it has read or is to write over, where that is too far ahead to move the clock.</summary>
    internal ulong After { get; set; }

    /// <summary>The stamp of the next write.</summary>
    /// <param name="clock">Draws the first.</param>
    /// <param name="after">The time of the written grain's latest stamp, where that is too far ahead.</param>
    /// <exception cref="GeoUnavailableException">A transaction has no more, or none that is later.</exception>
    internal Stamp Next(HybridClock clock, ulong after)
    {
        _first ??= clock.Next(Math.Max(after, After));
        if (after > _first.Value.Time)
        {
            throw new GeoUnavailableException(
                "The grain has a stamp far ahead that is later than the transaction's, which was drawn at its first write: the write would "
                + "be lost. Nothing of it was done; read the grain before the transaction's first write.");
        }

        return _writes < ushort.MaxValue ? _first.Value with { Command = _writes++ } : throw new GeoUnavailableException(
            $"A transaction writes at most {ushort.MaxValue} registers. Nothing of this write was done; commit, and begin another one.");
    }
}
