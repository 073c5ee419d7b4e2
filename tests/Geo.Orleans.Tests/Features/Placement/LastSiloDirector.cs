using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Features.Placement;

/// <summary>Chooses by <see cref="LastSilo"/>.</summary>
public sealed class LastSiloDirector : IPlacementDirector
{
    public Task<SiloAddress> OnAddActivation(PlacementStrategy strategy, PlacementTarget target, IPlacementContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return Task.FromResult(context.GetCompatibleSilos(target).Max()!);
    }
}
