using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Geo.HealthChecks;

/// <summary>Whether other clusters are in reach.</summary>
internal sealed class LinksCheck(IGeoStatus status, IOptions<GeoHealthOptions> options) : SiloCheck(status)
{
    protected override HealthCheckResult Judge(SiloReport silo)
    {
        var lost = silo.Others.Where(other => other.OutOfReach > options.Value.OutOfReach).ToList();
        var data = silo.Others.ToDictionary(other => other.Cluster.Name, object (other) => other.OutOfReach);
        return lost.Count == 0
            ? HealthCheckResult.Healthy(
                $"{silo.Others.Count(other => other.IsInReach)} of {silo.Others.Count} other clusters in reach.", data)
            : HealthCheckResult.Degraded(
                $"Out of reach: {string.Join(", ", lost.Select(other => $"{other.Cluster} for {Wording.Of(other.OutOfReach)}"))}. "
                + "This cluster goes on serving.",
                data: data);
    }
}
