namespace Geo;

/// <summary>Grains without an established owner that a silo knows of.</summary>
/// <param name="Rows">How many.</param>
/// <param name="Oldest">How long this silo has known of the oldest; zero where there is none.</param>
public readonly record struct DoubtfulStatus(int Rows, TimeSpan Oldest);
