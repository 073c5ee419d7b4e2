namespace Geo.Storage.Sqlite;

/// <summary>Some entries of a list.</summary>
/// <param name="Entries">The entries in order.</param>
/// <param name="Next">The least key, in UTF-8, that may follow them; null when nothing follows.</param>
internal sealed record ListPage(IReadOnlyList<StoreEntry> Entries, byte[]? Next);
