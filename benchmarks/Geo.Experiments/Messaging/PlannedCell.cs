namespace Geo.Experiments.Messaging;

/// <summary>A cell and what is compared at it.</summary>
/// <param name="Cell">The cell.</param>
/// <param name="Variants">What runs in every repeat, in turn.</param>
/// <param name="References">What stands beside without a limit to be held, and may run in fewer repeats.</param>
internal sealed record PlannedCell(Cell Cell, IReadOnlyList<Variant> Variants, IReadOnlyList<Variant> References);
