namespace Geo.Testing;

/// <summary>The choices for one purpose.</summary>
/// <param name="Values">The choices in the order in which they were made.</param>
/// <param name="Spans">
/// Which of them belong together, in the order in which they ended; an inner span comes before the one around it.
/// </param>
public sealed record ChoiceTapeRecord(IReadOnlyList<int> Values, IReadOnlyList<ChoiceSpan> Spans);
