namespace Geo.Consistency;

/// <summary>What an instance knew when it asked another one for help.</summary>
/// <param name="Operation">The number of the operation that it is.</param>
/// <param name="Began">When it asked.</param>
/// <param name="ResolvedThrough">No own update up to this number was waiting any more.</param>
/// <param name="Version">The version known.</param>
internal readonly record struct HandInQuestion(long Operation, TimeSpan Began, long ResolvedThrough, long Version);
