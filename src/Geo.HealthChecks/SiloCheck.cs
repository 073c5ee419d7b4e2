using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Geo.HealthChecks;

/// <summary>A check of what the silo knows without asking anybody.</summary>
internal abstract class SiloCheck(IGeoStatus status) : IHealthCheck
{
    /// <summary>What is said of a silo that has not started or that stops.</summary>
    public static HealthCheckResult NotServing { get; } = HealthCheckResult.Unhealthy("The silo has not started, or stops.");

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(status.Read() is { } silo ? Judge(silo) : NotServing);

    /// <summary>Says how a silo is that serves.</summary>
    protected abstract HealthCheckResult Judge(SiloReport silo);
}
