using System.Text;

namespace Geo.Orleans;

/// <summary>Keys of any characters as grain ids of letters and digits: some grain storages replace or fold other characters.</summary>
internal static class GrainStorageKeys
{
    private const string Type = "geo-store";
    private const string Hexadecimal = "0123456789abcdef";

    public static GrainId ToGrainId(string key)
    {
        var id = new StringBuilder(key.Length + 16);
        foreach (var value in Encoding.UTF8.GetBytes(key))
        {
            if (char.IsAsciiLetterOrDigit((char)value))
            {
                id.Append((char)value);
            }
            else
            {
                id.Append('-').Append(Hexadecimal[value >> 4]).Append(Hexadecimal[value & 15]);
            }
        }

        return GrainId.Create(Type, id.ToString());
    }
}
