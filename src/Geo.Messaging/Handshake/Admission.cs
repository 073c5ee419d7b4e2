using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>Whom the host accepts, and who hears of refusals.</summary>
internal sealed class Admission(NodeContext context, Action<LinkRefusal> refused)
{
    /// <summary>What the host says against a peer; null when it accepts it. Clients are not asked.</summary>
    /// <exception cref="GeoSerializationException">What the peer tells is damaged.</exception>
    public Refusal? Judge(PeerIdentity remote, ReadOnlyMemory<byte> facts) =>
        !remote.Cluster.IsNone && context.Options.Facts?.Refuse(remote.Peer, remote.Cluster, facts.Span) is { } objection
            ? new Refusal(RefusalReason.Unfit, objection, context.Options.Peer)
            : null;

    /// <summary>Logs a refusal and tells the node's listeners. That a pair is connected already is no fault and stays quiet.</summary>
    public void Report(LinkRefusal refusal)
    {
        if (refusal.Reason == RefusalReason.AlreadyConnected)
        {
            return;
        }

        // Nothing was lost by the others; this one is a mistake of those who configured the two.
        var level = refusal.Reason == RefusalReason.Unfit ? LogLevel.Error : LogLevel.Warning;
        if (refusal.RefusedByRemote)
        {
            MessagingLog.RefusedByRemote(context.Logger, level, refusal.Remote, refusal.Reason, refusal.Message);
        }
        else
        {
            MessagingLog.RefusedRemote(context.Logger, level, refusal.Remote, refusal.Reason, refusal.Message);
        }

        try
        {
            refused(refusal);
        }
#pragma warning disable CA1031 // A listener's fault must not break the handshake.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.EventHandlerFailed(context.Logger, e);
        }
    }
}
