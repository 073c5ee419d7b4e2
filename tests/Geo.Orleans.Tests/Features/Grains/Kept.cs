namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>What a grain keeps, and where it was.</summary>
[GenerateSerializer]
[Immutable]
public sealed record Kept([property: Id(0)] string Cluster, [property: Id(1)] int Sum);
