using System.Globalization;

namespace TpcwMini.Options;

/// <summary>What to kill in the middle of the run.</summary>
/// <param name="Cluster">Which cluster.</param>
/// <param name="Second">When, in seconds after the measured time began.</param>
/// <param name="Silo">Which of its silos; null for all.</param>
/// <param name="Back">When the cluster is started again; null for never.</param>
internal sealed record KillPlan(string Cluster, double Second, int? Silo = null, double? Back = null)
{
    private const string Form = "CLUSTER@SECOND, CLUSTER@SECOND-BACK or CLUSTER/SILO@SECOND, for example eu@10 or eu@6-13";

    public static KillPlan Parse(string text)
    {
        var (name, second, back) = RegionTimes.Parse("--kill", text, '-', Form);
        var slash = name.IndexOf('/', StringComparison.Ordinal);
        return slash < 0 ? new KillPlan(name, second, Back: back)
            : int.TryParse(name.AsSpan(slash + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var silo)
                ? new KillPlan(name[..slash], second, silo, back)
                : throw RegionTimes.Unreadable("--kill", text, Form);
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Cluster}{(Silo is { } silo ? $"/{silo}" : "")}@{Second}{(Back is { } back ? $"-{back}" : "")}");
}
