namespace Geo.Directory;

/// <summary>How a round ended.</summary>
/// <param name="Decision">What was decided and stored.</param>
/// <param name="Row">The row afterwards, where the decision was stored.</param>
/// <param name="StoreUnknown">Why the store left the round in the dark, for people; then nothing was decided.</param>
internal readonly record struct RoundEnd(GsiDecision Decision, Row Row = default, string? StoreUnknown = null);
