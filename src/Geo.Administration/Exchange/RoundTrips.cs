namespace Geo.Administration;

/// <summary>What a silo's links say of the distances between clusters.</summary>
internal static class RoundTrips
{
    /// <summary>The shortest of the last round trips to each cluster, in milliseconds.</summary>
    public static Dictionary<string, double> Of(SiloReport report) => report.Others
        .Select(other => (other.Cluster.Name, RoundTrip: other.Links.Min(link => link.RoundTrip)))
        .Where(other => other.RoundTrip is not null)
        .ToDictionary(other => other.Name, other => other.RoundTrip!.Value.TotalMilliseconds);
}
