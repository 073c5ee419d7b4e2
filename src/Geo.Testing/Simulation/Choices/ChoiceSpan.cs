namespace Geo.Testing;

/// <summary>
/// A part of a tape of choices that makes up one operation or one fault: left out as a whole, what remains is a schedule again.
/// </summary>
/// <param name="Label">What it was, for people.</param>
/// <param name="Start">The first choice.</param>
/// <param name="End">Behind the last choice.</param>
public readonly record struct ChoiceSpan(string Label, int Start, int End);
