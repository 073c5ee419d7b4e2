namespace Geo.Orleans.Tests.Grains;

/// <summary>What a tally shows.</summary>
[GenerateSerializer]
[Immutable]
public sealed record Reading([property: Id(0)] int Version, [property: Id(1)] int Sum, [property: Id(2)] int Unconfirmed);
