using Microsoft.Extensions.Logging;
using Orleans.Concurrency;

namespace Geo.Orleans;

[Reentrant]
internal sealed class GeoSiloService(GrainId grainId, Silo silo, ILoggerFactory loggers, SiblingServices services)
    : GrainService(grainId, silo, loggers), IGeoSiloService
{
    public async Task<byte[]?> AskAsync(string service, byte[] payload, CancellationToken cancellationToken) =>
        (await services.AnswerAsync(service, payload, cancellationToken))?.ToArray();

    public async Task TellAsync(string service, byte[] payload) =>
        _ = await services.AnswerAsync(service, payload, CancellationToken.None);
}
