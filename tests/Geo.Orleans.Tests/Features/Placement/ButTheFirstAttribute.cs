using Orleans.Placement;

namespace Geo.Orleans.Tests.Features.Placement;

/// <summary>Filters the silos for a grain by <see cref="ButTheFirst"/>.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class ButTheFirstAttribute() : PlacementFilterAttribute(new ButTheFirst());
