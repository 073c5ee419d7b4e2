using System.Globalization;

namespace Geo.HealthChecks;

/// <summary>How values stand in the texts of results.</summary>
internal static class Wording
{
    /// <summary>Seconds to the millisecond below a minute, else hours, minutes and seconds.</summary>
    public static string Of(TimeSpan time) => time < TimeSpan.FromMinutes(1)
        ? string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s")
        : time.ToString(@"d\.hh\:mm\:ss", CultureInfo.InvariantCulture);
}
