namespace Geo.Testing;

/// <summary>The only event of the standard grains: an update is appended to the log.</summary>
internal sealed record LogAppended(int Update);
