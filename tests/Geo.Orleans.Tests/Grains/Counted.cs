namespace Geo.Orleans.Tests.Grains;

public sealed record Counted(int Amount);
