using Orleans.Placement;

namespace Geo.Orleans.Tests.Features.Placement;

/// <summary>
/// A placement filter of the application's own: the silos of the cluster <c>eu</c>, and of no other cluster any, unless the call's request
/// context has a visa.
/// </summary>
public sealed class OnlyInEu() : PlacementFilterStrategy(order: 1)
{
    public const string Visa = "visa";
}
