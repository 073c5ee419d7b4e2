namespace Geo.Administration;

/// <summary>What a silo of one cluster asks those of another.</summary>
/// <param name="Grain">The grain that it wants to know about; null to know how the silo is.</param>
/// <param name="Moves">True to know the latest moves of grains in that cluster instead.</param>
internal sealed record ClusterQuestion(string? Grain, bool Moves = false);
