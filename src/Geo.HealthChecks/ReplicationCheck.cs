using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Geo.HealthChecks;

/// <summary>Whether clusters in reach lack updates of coordination-free grains for long.</summary>
internal sealed class ReplicationCheck(IGeoStatus status, IOptions<GeoHealthOptions> options) : SiloCheck(status)
{
    protected override HealthCheckResult Judge(SiloReport silo)
    {
        var inReach = silo.Others.Where(other => other.IsInReach).Select(other => other.Cluster).ToHashSet();
        var behind = silo.Lags.Where(lag => lag.Lag > options.Value.ReplicationLag && inReach.Contains(lag.Cluster)).ToList();
        var data = silo.Lags.GroupBy(lag => lag.Cluster.Name)
            .ToDictionary(cluster => cluster.Key, object (cluster) => cluster.Max(lag => lag.Lag));
        return behind.Count == 0 ? HealthCheckResult.Healthy("No cluster in reach is far behind.", data)
            : HealthCheckResult.Degraded(
                "Behind: " + string.Join(
                    ", ",
                    behind.Select(lag => $"{lag.Cluster} by {Wording.Of(lag.Lag)} with {lag.Grains} grains of {lag.GrainClass}")) + ".",
                data: data);
    }
}
