using System.Globalization;

namespace TpcwMini.Options;

/// <summary>Reads when something happens to a region: <c>CLUSTER@SECOND</c>, or with a second that ends it.</summary>
internal static class RegionTimes
{
    /// <param name="option">Which option it is.</param>
    /// <param name="text">What was typed.</param>
    /// <param name="until">What stands between the two seconds; null where there is one.</param>
    /// <param name="form">How it is to be typed.</param>
    /// <exception cref="UsageException">It is not of that form.</exception>
    public static (string Name, double Second, double? End) Parse(string option, string text, char? until, string form)
    {
        var at = text.LastIndexOf('@');
        if (at <= 0)
        {
            throw Unreadable(option, text, form);
        }

        var between = until is { } sign ? text.IndexOf(sign, at) : -1;
        return (
            text[..at],
            SecondOf(between < 0 ? text[(at + 1)..] : text[(at + 1)..between]),
            between < 0 ? null : SecondOf(text[(between + 1)..]));

        double SecondOf(string number) =>
            double.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out var second)
            && second is >= 0 and < double.PositiveInfinity
                ? second
                : throw Unreadable(option, text, form);
    }

    public static UsageException Unreadable(string option, string text, string form) =>
        new($"{option} '{text}' is not of the form {form}.");
}
