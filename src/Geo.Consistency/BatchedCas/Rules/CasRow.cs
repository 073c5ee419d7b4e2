namespace Geo.Consistency;

/// <summary>What the rules see of a stored version.</summary>
/// <param name="ETag">The row's present etag; null where there is no row.</param>
/// <param name="Version">The version; 0 where there is no row.</param>
/// <param name="Applied">The last number of each instance that the version holds.</param>
/// <param name="Writer">Who wrote it.</param>
internal readonly record struct CasRow(ETag? ETag, long Version, AppliedTable Applied, CasWriter Writer);
