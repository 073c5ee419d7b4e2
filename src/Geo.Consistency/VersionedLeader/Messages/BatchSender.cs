namespace Geo.Consistency;

/// <summary>The replica from which a batch comes.</summary>
/// <param name="Incarnation">Its memory.</param>
/// <param name="IsSeated">True when it has memory.</param>
/// <param name="Highest">The highest term that it knows.</param>
/// <param name="Promised">The highest term that it has promised.</param>
/// <param name="At">The term of its log.</param>
/// <param name="Step">The step of its log.</param>
internal readonly record struct BatchSender(long Incarnation, bool IsSeated, Term Highest, Term Promised, Term At, long Step);
