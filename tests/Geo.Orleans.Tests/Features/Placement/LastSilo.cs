namespace Geo.Orleans.Tests.Features.Placement;

/// <summary>A placement strategy of the application's own: the last silo in the order of their addresses.</summary>
public sealed class LastSilo : PlacementStrategy;
