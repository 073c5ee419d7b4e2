using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>What both ends of a dial do with an opened link and with a refusal.</summary>
internal sealed class LinkOpening(LaneContext context, LinkTable links, Action<LinkRefusal> refused)
{
    /// <summary>Serves a link that is in the table until it ends.</summary>
    /// <returns>Why it ended.</returns>
    public async Task<string> ServeAsync(PeerLink link, string address)
    {
        MessagingLog.LinkUp(context.Logger, link.Remote, address);

        // What the last link brought is started before anything of this one.
        await link.Predecessor;
        link.Start();
        var reason = await link.Ended;
        MessagingLog.LinkDown(context.Logger, link.Remote, reason);
        links.Remove(link, reason);
        return reason;
    }

    /// <summary>What the host says against a peer; null when it accepts it. Clients are not asked.</summary>
    /// <exception cref="GeoSerializationException">What the peer tells is damaged.</exception>
    public Refusal? Judge(PeerIdentity remote, ReadOnlyMemory<byte> facts) =>
        !remote.Cluster.IsNone && context.Options.Facts?.Refuse(remote.Peer, remote.Cluster, facts.Span) is { } objection
            ? new Refusal(RefusalReason.Unfit, objection, context.Options.Peer)
            : null;

    /// <summary>Logs a refusal and tells the node's listeners. That a pair is connected already is no fault and stays quiet.</summary>
    public void Refused(LinkRefusal refusal)
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
