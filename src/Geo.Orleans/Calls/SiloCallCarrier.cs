using Geo.Directory;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Geo.Orleans;

/// <summary>Carries calls over the silo's links, and corrects the directory of all silos where an instance is gone or given up.</summary>
internal sealed class SiloCallCarrier(
    GeoSilo silo, CallReceiver receiver, GlobalSingleGrains singles, ClusterSilo siblings, CallLimits limits,
    IGrainContextAccessor callers, IOptions<GeoOrleansOptions> options, ILogger<SiloCallCarrier> logger) : ICallCarrier
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
            new MessageOptions(
                CallReceiver.Channel, KeyOf(callers.GrainContext.GrainId), timeout ?? options.Value.CallTimeout, GrainClass: grain.Type,
                Recipient: grain.ToPartitionKey()),
            cancellationToken);
        var reply = sent.Outcome == ReplyOutcome.Refused && IsGivenUp(to, grain) ? CarriedReply.NotHere : CarriedReply.Of(sent);
        if (reply.Outcome == CarriedOutcome.NotHere)
        {
            siblings.Forget(grain, to);
        }

        return reply;
    }

    /// <summary>
    /// Calls keep the order of their caller, a grain, the gateway of a client, or else the silo, and go to one silo for each grain: what
    /// that silo knows of the grain, such as its end, the calls that follow find there.
    /// </summary>
    private static PartitionKey KeyOf(GrainId caller) => new(caller.Type.GetUniformHashCode(), caller.Key.GetUniformHashCode());

    /// <summary>
    /// Judged here and not where the call comes from: an external client has no links, and does not know what is out of reach.
    /// </summary>
    private bool IsGivenUp(ClusterId cluster, GrainKey grain)
    {
        var down = silo.Reach.DownFor(cluster);
        if (singles.ModeOf(GrainNames.ToGrainId(grain).Type) is not { } mode
            || CallFollowing.OnUndelivered(mode, down, limits.Following) != CallEventKind.GivenUp)
        {
            return false;
        }

        OrleansMetrics.InstancesGivenUp.Add(1);
        logger.InstanceGivenUp(grain, cluster, down);
        return true;
    }
}
