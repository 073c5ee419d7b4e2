namespace Geo.Orleans.Tests.Grains;

/// <summary>Where a call was answered.</summary>
/// <param name="Cluster">The cluster.</param>
/// <param name="Activation">The activation, different for each.</param>
[GenerateSerializer]
[Immutable]
public sealed record Whereabouts([property: Id(0)] string Cluster, [property: Id(1)] Guid Activation);
