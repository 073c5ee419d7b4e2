using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Geo.Orleans;

/// <summary>Carries calls over the silo's links, and corrects the directory of all silos where an instance is gone.</summary>
internal sealed class SiloCallCarrier(
    GeoSilo silo, CallReceiver receiver, SiloLiveness liveness, ILocalSiloDetails details, GeoSiloServiceClient silos, IOptions<GeoOrleansOptions> options,
    ILogger<SiloCallCarrier> logger) : ICallCarrier
{
    public async ValueTask<CarriedReply> CarryAsync(
        ClusterId to, GrainKey grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        if (to == silo.Messenger.LocalCluster)
        {
            // An external client that called an observer of its own cluster: it does not know which cluster that is.
            return await receiver.AnswerAsync(
                new ClusterMessage(to, CallReceiver.Service, frame, ExpectsReply: true) { GivenUp = cancellationToken }, cancellationToken);
        }

        var reply = CarriedReply.Of(await silo.Messenger.RequestAsync(
            to, CallReceiver.Service, frame,
            new MessageOptions(CallReceiver.Channel, grain.ToPartitionKey(), timeout ?? options.Value.CallTimeout),
            cancellationToken));
        if (reply.Outcome == CarriedOutcome.NotHere)
        {
            // Each silo has a view of its own of what is cached, and the grain may be placed on any of them next.
            await silo.Directory.ForgetCachedAsync(grain, to);
            await Task.WhenAll(liveness.Living.Where(other => !other.Equals(details.SiloAddress)).Select(other => TellAsync(other, grain, to)));
        }

        return reply;
    }

    private async Task TellAsync(SiloAddress other, GrainKey grain, ClusterId stale)
    {
        try
        {
            await silos.On(other).ForgetCachedAsync(grain.ToString(), stale.Name);
        }
        catch (Exception e) when (e is OrleansException or TimeoutException)
        {
            // It learns by its own next call that is not answered there.
            logger.RelayFailed(other, e);
        }
    }
}
