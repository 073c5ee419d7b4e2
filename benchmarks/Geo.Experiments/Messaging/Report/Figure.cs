using System.Globalization;
using Geo.Experiments.Messaging.Claims;

namespace Geo.Experiments.Messaging.Report;

/// <summary>How numbers are written.</summary>
internal static class Figure
{
    /// <summary>With as many digits as say something.</summary>
    public static string Number(double value) =>
        value.ToString(value >= 100 ? "#,0" : value >= 10 ? "0.0" : "0.00", CultureInfo.InvariantCulture);

    /// <summary>The middle one with the lowest and the highest behind it.</summary>
    public static string Spread(Spread spread) => $"{Number(spread.Median)} ({Number(spread.Least)} to {Number(spread.Most)})";

    /// <summary>A ratio; nothing where there is nothing to compare with.</summary>
    public static string Ratio(double value, double reference) =>
        reference > 0 ? (value / reference).ToString("0.00", CultureInfo.InvariantCulture) : "";
}
