using System.Text;

namespace Geo.Messaging;

/// <summary>What a frame says for people: no longer than anybody reads, nor than its recipient takes.</summary>
internal static class ReasonText
{
    private const int MaxCharacters = 1000;

    public static byte[] Write(string reason, int maxBytes)
    {
        var bytes = Encoding.UTF8.GetBytes(reason.Length <= MaxCharacters ? reason : reason[..MaxCharacters]);
        var length = Math.Min(bytes.Length, maxBytes);

        // Not within a character.
        while (length < bytes.Length && length > 0 && (bytes[length] & 0xC0) == 0x80)
        {
            length--;
        }

        return length == bytes.Length ? bytes : bytes[..length];
    }
}
