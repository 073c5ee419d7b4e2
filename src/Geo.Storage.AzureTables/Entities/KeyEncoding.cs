using System.Security.Cryptography;
using System.Text;

namespace Geo.Storage.AzureTables;

/// <summary>
/// Keys of any characters in the few that are safe in the keys and addresses of the table service, in the same order.
/// </summary>
/// <remarks>
/// ASCII digits and letters stand for themselves. Every other byte of the UTF-8 form is a mark and two hexadecimal digits; the mark lies
/// between the same digits and letters as the byte does, which keeps the order. The marks themselves are written so, too.
/// </remarks>
internal static class KeyEncoding
{
    private const string Hexadecimal = "0123456789ABCDEF";

    public static string Encode(string key)
    {
        var encoded = new StringBuilder(key.Length + 16);
        foreach (var value in Encoding.UTF8.GetBytes(key))
        {
            if (char.IsAsciiLetterOrDigit((char)value))
            {
                encoded.Append((char)value);
            }
            else
            {
                encoded.Append(Mark(value)).Append(Hexadecimal[value >> 4]).Append(Hexadecimal[value & 15]);
            }
        }

        return encoded.ToString();
    }

    /// <summary>The key that was encoded; null for a text that <see cref="Encode"/> never gives.</summary>
    public static string? TryDecode(string encoded)
    {
        var bytes = new List<byte>(encoded.Length);
        for (var i = 0; i < encoded.Length; i++)
        {
            if (char.IsAsciiLetterOrDigit(encoded[i]))
            {
                bytes.Add((byte)encoded[i]);
                continue;
            }

            if (i + 2 >= encoded.Length || Hexadecimal.IndexOf(encoded[i + 1]) is var high && high < 0
                || Hexadecimal.IndexOf(encoded[i + 2]) is var low && low < 0)
            {
                return null;
            }

            bytes.Add((byte)((high << 4) | low));
            i += 2;
        }

        var key = Encoding.UTF8.GetString([.. bytes]);
        return Encode(key) == encoded ? key : null;
    }

    /// <summary>A hash of a key that is as good as unique, in hexadecimal digits.</summary>
    public static string Hash(string key) => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(key)));

    private static char Mark(byte value) => value switch
    {
        < (byte)'0' => '-',
        < (byte)'A' => '=',
        < (byte)'a' => '_',
        _ => '~',
    };
}
