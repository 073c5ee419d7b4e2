using System.Collections.Immutable;

namespace Geo.Directory;

/// <summary>A cluster in a <see cref="ConfigurationDocument"/>.</summary>
/// <param name="Stage">How far it has come.</param>
/// <param name="EntryPoints">Where its silos are reached; none for one that only dials out.</param>
internal sealed record ConfiguredCluster(ClusterStage Stage, ImmutableArray<string> EntryPoints);
