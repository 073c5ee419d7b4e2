using Orleans.Placement;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Features.Placement;

/// <summary>Filters by <see cref="ButTheFirst"/>.</summary>
public sealed class ButTheFirstDirector : IPlacementFilterDirector
{
    public IEnumerable<SiloAddress> Filter(
        PlacementFilterStrategy filterStrategy, PlacementTarget target, IEnumerable<SiloAddress> silos) =>
        silos.Order().ToArray() is [_, .. { Length: > 0 } others] ? others : silos;
}
