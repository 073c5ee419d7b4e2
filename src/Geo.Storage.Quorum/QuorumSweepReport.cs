namespace Geo.Storage.Quorum;

/// <summary>What a sweep through all keys of a quorum store has done.</summary>
/// <param name="Keys">The keys that it came by, deleted ones included.</param>
/// <param name="Repaired">Those of which not all clusters had the same, and which all have again.</param>
/// <param name="Forgotten">Those without a value that were to be forgotten: deleted, or only asked about.</param>
/// <param name="IsComplete">True when all clusters answered all the time.</param>
public sealed record QuorumSweepReport(int Keys = 0, int Repaired = 0, int Forgotten = 0, bool IsComplete = true);
