namespace Geo.Orleans.Tests.Grains;

[GenerateSerializer]
[Immutable]
public sealed record Added([property: Id(0)] int Amount);
