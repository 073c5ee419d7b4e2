namespace Geo.Storage.Quorum;

/// <summary>A page of what you have, in code-point order.</summary>
/// <param name="Prefix">The beginning of the keys.</param>
/// <param name="After">The key after which the page begins; null for the first.</param>
/// <param name="MaxRows">The most rows of a page.</param>
internal sealed record ListRequest(string Prefix, string? After, int MaxRows) : QuorumRequest;
