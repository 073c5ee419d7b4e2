using System.Globalization;

namespace Geo.Embedded;

/// <summary>The text forms of grain keys, the same in all clusters.</summary>
internal static class GrainKeys
{
    private const char ExtensionMark = '+';

    /// <summary>The text of a Guid key.</summary>
    public static string Text(Guid key) => key.ToString("N");

    /// <summary>The text of a number key.</summary>
    public static string Text(long key) => key.ToString(CultureInfo.InvariantCulture);

    /// <summary>The text of a key with an extension.</summary>
    public static string WithExtension(string key, string extension)
    {
        ArgumentException.ThrowIfNullOrEmpty(extension);
        return key + ExtensionMark + extension;
    }

    /// <summary>Splits a key from its extension, null where there is none.</summary>
    public static (string Key, string? Extension) Split(string text)
    {
        var mark = text.IndexOf(ExtensionMark, StringComparison.Ordinal);
        return mark < 0 ? (text, null) : (text[..mark], text[(mark + 1)..]);
    }
}
