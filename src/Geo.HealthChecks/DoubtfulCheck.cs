using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Geo.HealthChecks;

/// <summary>Whether grains stay without an established owner although all clusters are in reach.</summary>
internal sealed class DoubtfulCheck(IGeoStatus status, IOptions<GeoHealthOptions> options) : SiloCheck(status)
{
    protected override HealthCheckResult Judge(SiloReport silo)
    {
        var (rows, oldest) = (silo.Doubtful.Rows, silo.Doubtful.Oldest);
        var data = new Dictionary<string, object> { ["rows"] = rows, ["oldest"] = oldest };
        var missing = silo.Others.Where(other => !other.IsInReach).Select(other => other.Cluster.Name).ToList();
        return rows == 0 ? HealthCheckResult.Healthy("No grain is Doubtful.", data)
            : missing.Count > 0
                ? HealthCheckResult.Healthy($"{rows} Doubtful grains wait for {string.Join(", ", missing)}, out of reach.", data)
            : oldest <= options.Value.DoubtfulAge
                ? HealthCheckResult.Healthy($"{rows} Doubtful grains, the oldest for {Wording.Of(oldest)}.", data)
                : HealthCheckResult.Degraded(
                    $"{rows} grains are Doubtful, the oldest for {Wording.Of(oldest)}, although all clusters are in reach. See which "
                    + "(IGeoAdministration.ListAsync) and resolve them.",
                    data: data);
    }
}
