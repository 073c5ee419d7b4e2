namespace Geo.Consistency;

/// <summary>What a leader does with a batch.</summary>
/// <param name="IsForgotten">
/// True to apply nothing: the numbers of who decided since its first sending are forgotten, and its own may have been among them.
/// </param>
/// <param name="Skip">How many of the first updates were decided before.</param>
/// <param name="Apply">How many of the updates after those are to be applied.</param>
/// <param name="IsRefused">True when the conditional ones at the end are not among them.</param>
internal readonly record struct BatchDecision(bool IsForgotten, int Skip, int Apply, bool IsRefused);
