using Geo.Embedded;

namespace Geo.Testing;

/// <summary>Versioned, persistent, one instance that stays available, and lives in eu where it can.</summary>
[GrainType("homed-log")]
[GlobalSingleInstance, Home("eu")]
[BatchedCas]
internal sealed class HomedLog(StandardRun run) : LogGrain(run);
