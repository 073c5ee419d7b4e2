using Geo.Embedded;

namespace Geo.Testing;

/// <summary>Versioned, persistent, one instance that stays available.</summary>
[GrainType("optimistic")]
[GlobalSingleInstance(SingleInstanceMode.Optimistic)]
[BatchedCas]
[Reentrant]
internal sealed class OptimisticLog(StandardRun run) : LogGrain(run);
