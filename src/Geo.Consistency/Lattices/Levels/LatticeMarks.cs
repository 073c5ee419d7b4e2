namespace Geo.Consistency.Lattices;

/// <summary>What a session has read and written of coordination-free grains, wherever it was.</summary>
/// <param name="Reads">The updates that it has read, by their sources: all up to a number, to be on the safe side.</param>
/// <param name="Writes">The updates that it has made.</param>
/// <param name="Clock">The time of the latest stamp that it can have seen.</param>
/// <param name="IsWhole">False when what all replicas had that had joined the others is left out.</param>
internal sealed record LatticeMarks(VectorClock Reads, VectorClock Writes, ulong Clock, bool IsWhole)
{
    /// <summary>How many replicas a token names.</summary>
    internal const int MaxSources = 255;

    internal static LatticeMarks None { get; } = new(VectorClock.Bottom, VectorClock.Bottom, 0, IsWhole: true);

    internal IEnumerable<ReplicaId> Sources => Reads.Sources.Union(Writes.Sources).Order();

    /// <summary>What a session has read and written that has read and written what both have.</summary>
    /// <exception cref="GeoUnavailableException">It is more than a token holds.</exception>
    internal LatticeMarks Merge(LatticeMarks other) =>
        new LatticeMarks(
            Reads.Merge(other.Reads), Writes.Merge(other.Writes), Math.Max(Clock, other.Clock), IsWhole && other.IsWhole).Checked();

    /// <summary>What a later call has given back, and of this what the call was not given.</summary>
    internal LatticeMarks After(LatticeMarks sent, LatticeMarks received) =>
        (this with { Reads = Reads.Beyond(sent.Reads), Writes = Writes.Beyond(sent.Writes) }).Merge(received);

    /// <exception cref="GeoUnavailableException">It is more than a token holds.</exception>
    internal LatticeMarks Checked() => Sources.Count() <= MaxSources ? this : throw new GeoUnavailableException(
        $"The session has seen updates of more than {MaxSources} replicas that some other one lacks, more than a token holds. Try again "
        + "once replicas have caught up, or begin a new session.");
}
