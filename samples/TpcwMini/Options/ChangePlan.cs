using System.Globalization;

namespace TpcwMini.Options;

/// <summary>A region that comes or goes while all run.</summary>
/// <param name="Cluster">Which region.</param>
/// <param name="Second">When the operator begins, in seconds after the measured time began.</param>
internal sealed record ChangePlan(string Cluster, double Second)
{
    public static ChangePlan Parse(string option, string text)
    {
        var (cluster, second, _) = RegionTimes.Parse(option, text, null, "CLUSTER@SECOND, for example asia@10");
        return new ChangePlan(cluster, second);
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Cluster}@{Second}");
}
