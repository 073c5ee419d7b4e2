using System.Globalization;
using Geo.Administration;

namespace Geo.Tool.Screens;

/// <summary>How values stand on the screen.</summary>
internal static class Words
{
    public const string None = "-";

    public static string Ms(double? ms) =>
        ms is { } value ? value.ToString(value < 10 ? "0.0" : "0", CultureInfo.InvariantCulture) + " ms" : None;

    public static string Seconds(double? seconds) => seconds switch
    {
        null => None,
        < 60 => seconds.Value.ToString("0.#", CultureInfo.InvariantCulture) + " s",
        _ => TimeSpan.FromSeconds(seconds.Value).ToString(@"d\.hh\:mm\:ss", CultureInfo.InvariantCulture),
    };

    public static string Days(double? days) => days is { } value ? value.ToString("0.#", CultureInfo.InvariantCulture) + " days" : None;

    public static string Time(DateTimeOffset at) => at.ToString("u", CultureInfo.InvariantCulture);

    public static string Place(PlaceView? place) =>
        place is null ? None
        : place.Silo is not { } silo ? place.Cluster
        : silo.StartsWith($"{place.Cluster}/", StringComparison.Ordinal) ? silo : $"{place.Cluster}, on {silo}";

    public static string Bytes(long bytes) => bytes.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>As it stands, without what would steer the terminal: keys of grains are anybody's.</summary>
    public static string Printable(string text) =>
        text.Any(IsHidden) ? string.Concat(text.Select(letter => IsHidden(letter) ? $"\\u{(int)letter:x4}" : letter.ToString())) : text;

    private static bool IsHidden(char letter) =>
        char.GetUnicodeCategory(letter) is UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator
            or UnicodeCategory.ParagraphSeparator;

    public static string Share(double share) => share.ToString("P0", CultureInfo.InvariantCulture);
}
