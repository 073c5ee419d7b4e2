namespace Geo.Consistency;

/// <summary>The receiver is asked to ask for the next term. Nothing is promised by it: a promise is given only to who asks.</summary>
/// <param name="Incarnation">The sender's memory.</param>
/// <param name="Highest">The highest term that the sender knows.</param>
internal readonly record struct TakeOver(long Incarnation, Term Highest);
