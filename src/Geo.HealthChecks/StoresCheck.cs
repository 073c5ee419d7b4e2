using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace Geo.HealthChecks;

/// <summary>Whether the stores answer, and how fast.</summary>
internal sealed class StoresCheck(IGeoStatus status, IOptions<GeoHealthOptions> options) : IHealthCheck
{
    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var answers = await status.AskStoresAsync(options.Value.StoreTimeout, cancellationToken);
        if (status.Read() is null)
        {
            return SiloCheck.NotServing;
        }

        var data = answers.ToDictionary(answer => answer.Store, object (answer) => answer.Time);
        var silent = answers.Where(answer => answer.Trouble is not null).ToList();
        var slow = answers.Where(answer => answer.Trouble is null && answer.Time > options.Value.SlowStore).ToList();
        return silent.Count > 0 ? new(
                options.Value.UnansweringStore,
                "Without an answer: " + string.Join("; ", silent.Select(answer => $"store '{answer.Store}': {answer.Trouble}")), data: data)
            : slow.Count > 0 ? HealthCheckResult.Degraded(
                "Slow: " + string.Join(", ", slow.Select(answer => $"store '{answer.Store}' took {Wording.Of(answer.Time)}")) + ".",
                data: data)
            : HealthCheckResult.Healthy($"{answers.Count} stores answer.", data);
    }
}
