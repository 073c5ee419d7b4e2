namespace Geo.Consistency;

/// <summary>One who waits until a majority has acknowledged a step in a round.</summary>
/// <param name="Term">The leader's term: the wait ends with it.</param>
/// <param name="Step">The step.</param>
/// <param name="Round">The round, or a later one.</param>
/// <param name="End">True when it was acknowledged, false when the term has ended before.</param>
internal sealed record RoundWait(Term Term, long Step, long Round, Completion<bool> End);
