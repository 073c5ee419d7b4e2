using System.Globalization;

namespace TpcwMini.Options;

/// <summary>What to kill in the middle of the run.</summary>
/// <param name="Cluster">Which cluster.</param>
/// <param name="Second">When, in seconds after the measured time began.</param>
/// <param name="Silo">Which of its silos; null for all.</param>
/// <param name="Back">When the cluster is started again; null for never.</param>
internal sealed record KillPlan(string Cluster, double Second, int? Silo = null, double? Back = null)
{
    public static KillPlan Parse(string text)
    {
        var at = text.LastIndexOf('@');
        if (at <= 0)
        {
            throw Unreadable(text);
        }

        var dash = text.IndexOf('-', at);
        var second = SecondOf(dash < 0 ? text[(at + 1)..] : text[(at + 1)..dash], text);
        double? back = dash < 0 ? null : SecondOf(text[(dash + 1)..], text);
        var slash = text.IndexOf('/', StringComparison.Ordinal);
        return slash < 0 ? new KillPlan(text[..at], second, Back: back)
            : slash < at
                && int.TryParse(text.AsSpan(slash + 1, at - slash - 1), NumberStyles.None, CultureInfo.InvariantCulture, out var silo)
                ? new KillPlan(text[..slash], second, silo, back)
                : throw Unreadable(text);
    }

    private static double SecondOf(string number, string text) =>
        double.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out var second)
        && second is >= 0 and < double.PositiveInfinity
            ? second
            : throw Unreadable(text);

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Cluster}{(Silo is { } silo ? $"/{silo}" : "")}@{Second}{(Back is { } back ? $"-{back}" : "")}");

    private static UsageException Unreadable(string text) =>
        new($"--kill '{text}' is not of the form CLUSTER@SECOND, CLUSTER@SECOND-BACK or CLUSTER/SILO@SECOND, for example eu@10 or "
            + "eu@6-13.");
}
