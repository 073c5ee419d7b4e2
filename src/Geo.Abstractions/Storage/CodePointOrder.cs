namespace Geo;

/// <summary>
/// The order of code points, which is that of UTF-8 bytes and therefore of most databases; ordinal order differs for surrogates.
/// </summary>
internal sealed class CodePointOrder : IComparer<string>
{
    public static readonly CodePointOrder Instance = new();

    private CodePointOrder()
    {
    }

    public int Compare(string? x, string? y)
    {
        if (x is null || y is null)
        {
            return string.CompareOrdinal(x, y);
        }

        var same = x.AsSpan().CommonPrefixLength(y);
        return same == x.Length || same == y.Length
            ? x.Length.CompareTo(y.Length)
            : Rank(x[same]).CompareTo(Rank(y[same]));
    }

    // Surrogates stand for code points above all others, but their values lie below U+E000.
    private static int Rank(char c) => char.IsSurrogate(c) ? c + 0x10000 : c;
}
