namespace Geo.Consistency;

/// <summary>A version as one history knows it: its number, and the term in which it was made; no term for version 0.</summary>
internal readonly record struct VersionBase(Term Term, long Version);
