namespace Geo.Testing;

/// <summary>All choices of one run: with the same build, the run again.</summary>
/// <param name="Seed">The seed of the run.</param>
/// <param name="Tapes">The choices for each purpose.</param>
public sealed record ChoiceRecord(SimulationSeed Seed, IReadOnlyDictionary<string, ChoiceTapeRecord> Tapes);
