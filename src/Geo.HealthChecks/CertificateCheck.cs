using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Geo.HealthChecks;

/// <summary>Whether the certificate that the silo shows to others ends soon.</summary>
internal sealed class CertificateCheck(IGeoStatus status, IOptions<GeoHealthOptions> options, TimeProvider time) : SiloCheck(status)
{
    protected override HealthCheckResult Judge(SiloReport silo)
    {
        if (silo.CertificateEnds is not { } end)
        {
            return HealthCheckResult.Healthy("No TLS.");
        }

        var left = end - time.GetUtcNow();
        var text = string.Create(CultureInfo.InvariantCulture, $"The certificate ends at {end:u}, in {left.TotalDays:0.#} days.");
        var data = new Dictionary<string, object> { ["ends"] = end };
        return left > options.Value.CertificateWarning ? HealthCheckResult.Healthy(text, data)
            : HealthCheckResult.Degraded(
                $"{text} Put a new one in its file: it is read again while the silo runs. Without one no new link is made.", data: data);
    }
}
