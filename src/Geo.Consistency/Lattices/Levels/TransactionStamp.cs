namespace Geo.Consistency.Lattices;

/// <summary>
/// The stamps of one transaction: one time, drawn at its first write, and the numbers of the writes (Anna section VI-C). So of two
/// transactions one comes before the other in all registers that both write.
/// </summary>
internal sealed class TransactionStamp
{
    private Stamp? _first;
    private ushort _writes;

    /// <summary>The stamp of the next write.</summary>
    /// <exception cref="GeoUnavailableException">A transaction has no more.</exception>
    internal Stamp Next(HybridClock clock)
    {
        _first ??= clock.Next();
        return _writes < ushort.MaxValue ? _first.Value with { Command = _writes++ } : throw new GeoUnavailableException(
            $"A transaction writes at most {ushort.MaxValue} registers. Nothing of this write was done; commit, and begin another one.");
    }
}
