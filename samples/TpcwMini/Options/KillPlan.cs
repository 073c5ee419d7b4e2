using System.Globalization;

namespace TpcwMini.Options;

/// <summary>What to kill in the middle of the run.</summary>
/// <param name="Cluster">Which cluster.</param>
/// <param name="Second">When, in seconds after the measured time began.</param>
/// <param name="Silo">Which of its silos; null for all.</param>
internal sealed record KillPlan(string Cluster, double Second, int? Silo = null)
{
    public static KillPlan Parse(string text)
    {
        var at = text.LastIndexOf('@');
        if (at <= 0
            || !double.TryParse(text.AsSpan(at + 1), NumberStyles.Float, CultureInfo.InvariantCulture, out var second)
            || !double.IsFinite(second) || second < 0)
        {
            throw Unreadable(text);
        }

        var slash = text.IndexOf('/', StringComparison.Ordinal);
        return slash < 0 ? new KillPlan(text[..at], second)
            : slash < at
                && int.TryParse(text.AsSpan(slash + 1, at - slash - 1), NumberStyles.None, CultureInfo.InvariantCulture, out var silo)
                ? new KillPlan(text[..slash], second, silo)
                : throw Unreadable(text);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Cluster}{(Silo is { } silo ? $"/{silo}" : "")}@{Second}");

    private static UsageException Unreadable(string text) =>
        new($"--kill '{text}' is not of the form CLUSTER@SECOND or CLUSTER/SILO@SECOND, for example eu@10.");
}
