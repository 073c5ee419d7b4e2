using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Geo.Orleans;

/// <summary>Carries calls over the silo's links, and corrects the directory of all silos where an instance is gone.</summary>
internal sealed class SiloCallCarrier(
    GeoSilo silo, CallReceiver receiver, GlobalSingleGrains singles, ClusterReach reach, SiloLiveness liveness, ILocalSiloDetails details,
    GeoSiloServiceClient silos, IOptions<GeoOrleansOptions> options, ILogger<SiloCallCarrier> logger) : ICallCarrier
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

        var sent = await silo.Messenger.RequestAsync(
            to, CallReceiver.Service, frame,
            new MessageOptions(CallReceiver.Channel, grain.ToPartitionKey(), timeout ?? options.Value.CallTimeout),
            cancellationToken);
        var reply = sent.Outcome == ReplyOutcome.Refused && MayGiveUp(to, grain) ? CarriedReply.NotHere : CarriedReply.Of(sent);
        if (reply.Outcome == CarriedOutcome.NotHere)
        {
            // Each silo has a view of its own of what is cached, and the grain may be placed on any of them next.
            await silo.Directory.ForgetCachedAsync(grain, to);
            await Task.WhenAll(liveness.Living.Where(other => !other.Equals(details.SiloAddress)).Select(other => TellAsync(other, grain, to)));
        }

        return reply;
    }

    /// <summary>
    /// True when an instance may be replaced although it may still be there: its cluster is out of reach for long, and the grain is one that
    /// would rather have two instances for a while than none.
    /// </summary>
    private bool MayGiveUp(ClusterId cluster, GrainKey grain)
    {
        if (options.Value.UnreachableAfter is not { } limit || reach.DownFor(cluster) is var down && (down == TimeSpan.Zero || down < limit)
            || singles.ModeOf(GrainNames.ToGrainId(grain).Type) != SingleInstanceMode.Optimistic)
        {
            return false;
        }

        OrleansMetrics.InstancesGivenUp.Add(1);
        logger.InstanceGivenUp(grain, cluster, down);
        return true;
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
