namespace Geo.Consistency;

/// <summary>A term of a log, and the version that its leader began from.</summary>
internal readonly record struct TermStart(Term Term, long Version);
