namespace Geo.Orleans.Tests.Grains;

/// <summary>An observer inside an argument.</summary>
[GenerateSerializer]
public sealed record Subscription([property: Id(0)] string Topic, [property: Id(1)] IListener Listener);
