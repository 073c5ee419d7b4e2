using Orleans.Placement;

namespace Geo.Orleans.Tests.Features.Placement;

/// <summary>Filters the silos for a grain by <see cref="OnlyInEu"/>.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class OnlyInEuAttribute() : PlacementFilterAttribute(new OnlyInEu());
