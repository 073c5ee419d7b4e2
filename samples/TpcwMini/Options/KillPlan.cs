using System.Globalization;

namespace TpcwMini.Options;

/// <summary>A cluster's process to kill in the middle of the run.</summary>
/// <param name="Cluster">Which cluster.</param>
/// <param name="Second">When, in seconds after the measured time began.</param>
internal sealed record KillPlan(string Cluster, double Second)
{
    public static KillPlan Parse(string text)
    {
        var at = text.LastIndexOf('@');
        return at > 0
            && double.TryParse(text.AsSpan(at + 1), NumberStyles.Float, CultureInfo.InvariantCulture, out var second)
            && double.IsFinite(second) && second >= 0
            ? new KillPlan(text[..at], second)
            : throw new UsageException($"--kill '{text}' is not of the form CLUSTER@SECOND, for example eu@10.");
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Cluster}@{Second}");
}
