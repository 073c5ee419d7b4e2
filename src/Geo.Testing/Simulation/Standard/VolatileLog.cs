using Geo.Embedded;

namespace Geo.Testing;

/// <summary>Versioned, volatile, an instance in every cluster.</summary>
[GrainType("volatile")]
[OneInstancePerCluster]
[VersionedLeader]
[Reentrant]
internal sealed class VolatileLog(StandardRun run) : LogGrain(run);
