using Geo.Embedded;

namespace Geo.Testing;

/// <summary>
/// Versioned, persistent, one instance for certain, of which a majority says who has it, and which lives in eu where it can.
/// </summary>
[GrainType("homed-quorum")]
[GlobalSingleInstance(SingleInstanceMode.Quorum), Home("eu")]
[BatchedCas]
internal sealed class HomedQuorumLog(StandardRun run) : LogGrain(run);
