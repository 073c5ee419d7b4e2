namespace Geo.Directory;

/// <summary>What the silos of a cluster remember of moves.</summary>
/// <param name="Moves">The moves, the last one first, each by the clock of its silo.</param>
/// <param name="Forgotten">How many moves, of any grain, these silos have forgotten.</param>
/// <param name="Silent">How many living silos of the cluster did not say what they remember.</param>
internal sealed record RecentMoves(IReadOnlyList<GrainMove> Moves, long Forgotten, int Silent);
