using Orleans.Placement;

namespace Geo.Orleans.Tests.Features.Placement;

/// <summary>
/// A placement filter of the application's own: any silo but the first in the order of their addresses, where there are others.
/// </summary>
public sealed class ButTheFirst() : PlacementFilterStrategy(order: 1);
