namespace Geo.Directory;

/// <summary>A time through which a silo has renewed its lease without a failure.</summary>
/// <param name="Since">When it began, by the monotonic clock.</param>
/// <param name="Gap">
/// How long before that the last renewal was, at most: no outage that all silos had can have been longer. The longest time that one can
/// matter for, where there was none.
/// </param>
internal sealed record Steadiness(long Since, TimeSpan Gap);
