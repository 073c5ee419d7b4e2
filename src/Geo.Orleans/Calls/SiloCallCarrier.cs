using Microsoft.Extensions.Options;

namespace Geo.Orleans;

/// <summary>Carries calls over the silo's links, and corrects the directory where an instance is gone.</summary>
internal sealed class SiloCallCarrier(GeoSilo silo, IOptions<GeoOrleansOptions> options) : ICallCarrier
{
    public async ValueTask<CarriedReply> CarryAsync(
        ClusterId to, GrainKey grain, ReadOnlyMemory<byte> frame, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        var reply = CarriedReply.Of(await silo.Messenger.RequestAsync(
            to, CallReceiver.Service, frame,
            new MessageOptions(CallReceiver.Channel, grain.ToPartitionKey(), timeout ?? options.Value.CallTimeout),
            cancellationToken));
        if (reply.Outcome == CarriedOutcome.NotHere)
        {
            await silo.Directory.ForgetCachedAsync(grain, to);
        }

        return reply;
    }
}
