namespace Geo.Directory;

/// <summary>
/// A row of the directory that cannot be read: nobody knows what it said, so that its grain is refused until it is repaired.
/// </summary>
/// <param name="RowKey">
/// The row's key in the row store: "gsi/", the grain's type, "/", and its key, unless the key itself is damaged.
/// </param>
/// <param name="Reason">What is wrong and what to do, for people.</param>
public sealed record DamagedDirectoryRow(string RowKey, string Reason);
