namespace Geo.Testing;

/// <summary>The end of a check.</summary>
/// <param name="Outcome">What was found.</param>
/// <param name="Key">The first object whose operations break the guarantee, or could not be decided; null when all keep it.</param>
/// <param name="Explanation">The counterexample as text, or why nothing could be decided; empty when the guarantee holds.</param>
public sealed record HistoryVerdict(HistoryOutcome Outcome, string? Key, string Explanation)
{
    internal static HistoryVerdict Held { get; } = new(HistoryOutcome.Holds, null, "");

    internal HistoryTimeline Timeline { get; init; } = new([], "");

    /// <summary>
    /// The verdict as one HTML page that loads nothing: the explanation, and the operations that it is about as bars over time, a line a
    /// process. Where the guarantee holds it shows no operation.
    /// </summary>
    public string ToHtml() => Timeline.ToHtml(Key is null ? $"{Outcome}" : $"{Outcome}: {Key}", Explanation);
}
