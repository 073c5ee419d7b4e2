using System.Text.Unicode;

namespace Geo.Messaging;

/// <summary>What a frame says for people: no longer than anybody reads, nor than its recipient takes.</summary>
internal static class ReasonText
{
    private const int MaxCharacters = 1000;

    public static byte[] Write(string reason, int maxBytes)
    {
        if (reason.Length == 0)
        {
            return [];
        }

        // Whole characters only.
        Span<byte> bytes = stackalloc byte[Math.Min(3 * MaxCharacters, maxBytes)];
        Utf8.FromUtf16(reason.AsSpan(0, Math.Min(reason.Length, MaxCharacters)), bytes, out _, out var written);
        return bytes[..written].ToArray();
    }
}
