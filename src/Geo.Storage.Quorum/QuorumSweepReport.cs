namespace Geo.Storage.Quorum;

/// <summary>What a sweep through all keys of a quorum store has done.</summary>
/// <param name="Keys">The keys that it came by, deleted ones included.</param>
/// <param name="Repaired">Those of which not all clusters had the same, and which all have now.</param>
/// <param name="Forgotten">Those without a value, deleted or only asked about, of which no cluster has anything any more.</param>
/// <param name="Remaining">
/// Those that were to be repaired or forgotten and were not, since a cluster did not answer or something was written meanwhile: for the
/// next sweep.
/// </param>
/// <param name="IsComplete">True when all clusters answered for every page of keys.</param>
public sealed record QuorumSweepReport(
    long Keys = 0, long Repaired = 0, long Forgotten = 0, long Remaining = 0, bool IsComplete = true);
