namespace Geo.Consistency;

/// <summary>What a leader does with a batch.</summary>
/// <param name="IsOutcomeLost">True to apply nothing: whether it was applied before can no longer be found out.</param>
/// <param name="Skip">How many of the first updates were decided before.</param>
/// <param name="Apply">How many of the updates after those are to be applied.</param>
/// <param name="IsRefused">True when the conditional ones at the end are not among them.</param>
internal readonly record struct BatchDecision(bool IsOutcomeLost, int Skip, int Apply, bool IsRefused);
