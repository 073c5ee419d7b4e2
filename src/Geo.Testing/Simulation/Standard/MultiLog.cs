using Geo.Embedded;

namespace Geo.Testing;

/// <summary>Versioned, persistent, an instance in every cluster.</summary>
[GrainType("multi")]
[OneInstancePerCluster]
[BatchedCas]
[Reentrant]
internal sealed class MultiLog(StandardRun run) : LogGrain(run);
