using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Geo.HealthChecks;

/// <summary>Whether the silo's lease is renewed in time.</summary>
internal sealed class LeaseCheck(IGeoStatus status, IOptions<GeoHealthOptions> options) : SiloCheck(status)
{
    protected override HealthCheckResult Judge(SiloReport silo)
    {
        if (silo.Lease is not { } lease)
        {
            return HealthCheckResult.Healthy("The silo is its cluster's only one and needs no lease.");
        }

        var data = new Dictionary<string, object> { ["age"] = lease.Age, ["duration"] = lease.Duration };
        return lease.IsFenced
            ? HealthCheckResult.Unhealthy(
                "The cluster has declared this silo dead: it serves no single-instance grain. Restart it.", data: data)
            : !lease.IsHeld ? HealthCheckResult.Unhealthy(
                $"The lease ran out {Wording.Of(lease.Age - lease.Duration)} ago: calls of single-instance grains are refused. Look at the "
                + "store of the directory's rows.",
                data: data)
            : lease.Age > options.Value.LeaseAge * lease.Duration ? HealthCheckResult.Degraded(
                $"The lease of {Wording.Of(lease.Duration)} was renewed {Wording.Of(lease.Age)} ago: a renewal has failed.", data: data)
            : HealthCheckResult.Healthy($"Renewed {Wording.Of(lease.Age)} ago.", data);
    }
}
