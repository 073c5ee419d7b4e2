using System.Text;

namespace Geo.Messaging;

/// <summary>What a frame says for people: no longer than anybody reads, nor than its recipient takes.</summary>
internal static class ReasonText
{
    private const int MaxCharacters = 1000;

    public static byte[] Write(string reason, int maxBytes)
    {
        var bytes = new byte[Math.Min(Encoding.UTF8.GetMaxByteCount(Math.Min(reason.Length, MaxCharacters)), Math.Max(0, maxBytes))];
        Encoding.UTF8.GetEncoder().Convert(
            reason.AsSpan(0, Math.Min(reason.Length, MaxCharacters)), bytes, flush: true, out _, out var written, out _);
        return bytes[..written];
    }
}
