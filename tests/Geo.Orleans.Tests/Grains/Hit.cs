namespace Geo.Orleans.Tests.Grains;

public sealed record Hit(int Amount);
