namespace Geo.Orleans.Tests.Grains;

/// <summary>A call that ran.</summary>
/// <param name="Process">The process of the silo.</param>
/// <param name="Activation">The activation.</param>
/// <param name="Began">When it began, as a <see cref="System.Diagnostics.Stopwatch"/> timestamp.</param>
[GenerateSerializer]
[Immutable]
public sealed record Served([property: Id(0)] int Process, [property: Id(1)] Guid Activation, [property: Id(2)] long Began);
