using Geo.Embedded;

namespace Geo.Testing;

/// <summary>Versioned, persistent, one instance for certain, of which a majority says who has it.</summary>
[GrainType("quorum")]
[GlobalSingleInstance(SingleInstanceMode.Quorum)]
[BatchedCas]
internal sealed class QuorumLog(StandardRun run) : LogGrain(run);
