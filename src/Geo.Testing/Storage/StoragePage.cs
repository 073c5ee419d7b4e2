namespace Geo.Testing.Storage;

/// <summary>Some entries of a list.</summary>
/// <param name="Entries">The entries, in order.</param>
/// <param name="HasMore">True when others follow.</param>
internal sealed record StoragePage(IReadOnlyList<StoreEntry> Entries, bool HasMore)
{
    /// <summary>True when a key comes after another one in the order of code points, which is that of lists.</summary>
    public static bool IsAfter(string key, string other) =>
        System.Text.Encoding.UTF8.GetBytes(key).AsSpan().SequenceCompareTo(System.Text.Encoding.UTF8.GetBytes(other)) > 0;
}
