namespace Geo.Consistency;

/// <summary>What a follower answers.</summary>
/// <param name="Kind">Whether it has the leader's log now.</param>
/// <param name="Promised">The highest term that it has promised.</param>
/// <param name="Configuration">The newest configuration that it has heard of.</param>
/// <param name="Incarnation">Its memory.</param>
/// <param name="Step">The step of its log.</param>
/// <param name="Round">The leader's round.</param>
internal sealed record AppendAnswer(
    AppendAnswerKind Kind, Term Promised, long Configuration, long Incarnation, long Step, long Round);
