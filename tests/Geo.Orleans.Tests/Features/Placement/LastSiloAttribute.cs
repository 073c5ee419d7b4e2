using Orleans.Placement;

namespace Geo.Orleans.Tests.Features.Placement;

/// <summary>Places a grain by <see cref="LastSilo"/>.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class LastSiloAttribute() : PlacementAttribute(new LastSilo());
