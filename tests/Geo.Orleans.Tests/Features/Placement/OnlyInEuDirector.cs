using Microsoft.Extensions.Options;
using Orleans.Placement;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Features.Placement;

/// <summary>Filters by <see cref="OnlyInEu"/>.</summary>
public sealed class OnlyInEuDirector(IOptions<GeoOrleansOptions> options) : IPlacementFilterDirector
{
    public IEnumerable<SiloAddress> Filter(
        PlacementFilterStrategy filterStrategy, PlacementTarget target, IEnumerable<SiloAddress> silos) =>
        options.Value.ClusterId == "eu" || target.RequestContextData?.ContainsKey(OnlyInEu.Visa) == true ? silos : [];
}
