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

        var how = new MessageOptions(
            CallReceiver.Channel, KeyOf(callers.GrainContext.GrainId), timeout ?? options.Value.CallTimeout, GrainClass: grain.Type,
            Recipient: grain.ToPartitionKey());
        var sent = await SendAsync(how);
        if (sent.IsNotServed)
        {
            // A silo that begins or stops is linked and takes no calls: another one does.
            sent = await SendAsync(how with { Attempt = 1 });
        }

        var reply = sent.Outcome == ReplyOutcome.Refused && !await IsWhereItMayBeAsync(to, grain, sent.IsNotServed, cancellationToken)
            ? CarriedReply.NotHere
            : CarriedReply.Of(sent);
        if (reply.Outcome == CarriedOutcome.NotHere)
        {
            siblings.Forget(grain, to);
        }

        return reply;

        ValueTask<ClusterReply> SendAsync(MessageOptions way) => silo.Directories.RequestAsync(
            silo.Messenger, to, grain, CallReceiver.Service, frame, way, cancellationToken);
    }

    /// <summary>
    /// Calls keep the order of their caller, a grain, the gateway of a client, or else the silo, and go to one silo for each grain: what
    /// that silo knows of the grain, such as its end, the calls that follow find there.
    /// </summary>
    private static PartitionKey KeyOf(GrainId caller) => new(caller.Type.GetUniformHashCode(), caller.Key.GetUniformHashCode());

    /// <summary>
    /// Judged here and not where the call comes from: an external client has no links, and does not know what is out of reach.
    /// </summary>
    /// <returns>False where the call looks for its grain elsewhere.</returns>
    private async ValueTask<bool> IsWhereItMayBeAsync(
        ClusterId cluster, GrainKey grain, bool isNotServed, CancellationToken cancellationToken)
    {
        if (singles.ModeOf(GrainNames.ToGrainId(grain).Type) is not { } mode)
        {
            return true;
        }

        if (isNotServed && mode == SingleInstanceMode.Quorum)
        {
            // Its silos begin, and a lease of before ends: the next look waits for that, or for its renewal.
            return false;
        }

        var down = silo.Reach.DownFor(cluster);
        switch (CallFollowing.OnUndelivered(
            mode, !silo.Directories.Global.Configuration.Includes(cluster), down, limits.Following))
        {
            case CallEventKind.NotThere:
                return false;

            case CallEventKind.GivenUp:
                OrleansMetrics.InstancesGivenUp.Add(1);
                logger.InstanceGivenUp(grain, cluster, down ?? default);
                return false;

            case CallEventKind.OutOfReach:
                return await IsOnlyThereAsync(cluster, grain, cancellationToken);

            default:
                return true;
        }
    }

    /// <summary>
    /// Looks anew for the caller, whose memory of routes is not the directory's: where the grain is elsewhere the call goes on from there
    /// as one that found nothing (<see cref="CallFollowing"/>), and the directory knows the way by then.
    /// </summary>
    private async ValueTask<bool> IsOnlyThereAsync(ClusterId cluster, GrainKey grain, CancellationToken cancellationToken)
    {
        try
        {
            return await silo.Directories.Global.FindAnewAsync(grain, cluster, cancellationToken) is not { } found
                || found.Cluster == cluster;
        }
        catch (GeoUnavailableException)
        {
            return true;
        }
    }
}
