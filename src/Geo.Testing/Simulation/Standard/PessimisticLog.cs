using Geo.Embedded;

namespace Geo.Testing;

/// <summary>Versioned, persistent, one instance for certain; calls do not interleave.</summary>
[GrainType("pessimistic")]
[GlobalSingleInstance(SingleInstanceMode.Pessimistic)]
[BatchedCas]
internal sealed class PessimisticLog(StandardRun run) : LogGrain(run);
