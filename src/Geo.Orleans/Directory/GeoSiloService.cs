using Microsoft.Extensions.Logging;
using Orleans.Concurrency;

namespace Geo.Orleans;

[Reentrant]
internal sealed class GeoSiloService(GrainId grainId, Silo silo, ILoggerFactory loggers, TrackedActivations activations)
    : GrainService(grainId, silo, loggers), IGeoSiloService
{
    public Task DeactivateAsync(GrainId grain, string reason) => activations.DeactivateAsync(grain, reason);
}
