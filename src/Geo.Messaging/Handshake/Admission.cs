using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>Whom the node and its host accept, what it answers, and who hears of refusals.</summary>
internal sealed class Admission(NodeContext context, PeerIdentity local, EventFeed<LinkRefusal> refused, Action<LinkRefusal> dialRefused)
{
    /// <summary>Finds out whether a peer, whose TLS handshake is over, may be who it says, and by which name of its certificate.</summary>
    /// <returns>Null when it may; else why it may not.</returns>
    public Refusal? Identify(IWireConnection wire, PeerIdentity claimed, out PeerIdentity peer)
    {
        peer = claimed;
        if (context.Options.Tls is not { } tls)
        {
            return null;
        }

        string fault;
        try
        {
            var names = wire.RemoteCertificate is { } certificate ? (tls.NamesOf ?? CertifiedPeer.NamedIn)(certificate) : [];
            foreach (var name in names)
            {
                if (name.Covers(claimed.Cluster, claimed.Peer))
                {
                    peer = claimed with { CertifiedAs = name };
                    return null;
                }
            }

            fault = names.Count == 0 ? "no name" : $"the names {string.Join(", ", names)}";
        }
#pragma warning disable CA1031 // Whatever a mapping throws: who is not known is not let in.
        catch (Exception e)
#pragma warning restore CA1031
        {
            fault = $"names that cannot be read ({e.Message})";
        }

        var wanted = new CertifiedPeer(claimed.Cluster, claimed.Peer);
        return new Refusal(
            RefusalReason.Untrusted,
            $"the certificate of {wire.Remote} has {fault} and does not allow it to be {claimed}; add the URI {wanted}"
            + $"{(claimed.Cluster.IsNone ? "" : $" or {wanted with { Peer = default }}")} to its alternative names, or set"
            + " TlsOptions.NamesOf",
            context.Options.Peer);
    }

    /// <summary>What the host says against a peer; null when it accepts it. Clients are not asked.</summary>
    /// <exception cref="GeoSerializationException">What the peer tells is damaged.</exception>
    public Refusal? Judge(PeerIdentity remote, ReadOnlyMemory<byte> facts) =>
        !remote.Cluster.IsNone && context.Options.Facts?.Refuse(remote.Peer, remote.Cluster, facts.Span) is { } objection
            ? new Refusal(RefusalReason.Unfit, objection, context.Options.Peer)
            : null;

    public ValueTask WelcomeAsync(IWireConnection wire, int version)
    {
        context.Metrics.ShookHands("accepted");
        var options = context.Options;
        return HandshakeStream.WriteAsync(
            wire,
            Handshake.Write(
                new Welcome(version, local, options.MaxMessageBytes, options.MaxGatheredBytes, options.Facts?.Own ?? default)));
    }

    public Task RefuseAsync(IWireConnection wire, Refusal refusal)
    {
        Report(wire, refusal);
        return HandshakeStream.WriteLastAsync(wire, refusal);
    }

    /// <summary>Counts and reports an accepted connection that is not let in.</summary>
    public void Report(IWireConnection wire, Refusal refusal)
    {
        context.Metrics.ShookHands("refused");
        context.Metrics.Refused(refusal.Reason);
        Tell(new LinkRefusal(refusal.Reason, refusal.Message, wire.Remote, RefusedByRemote: false));
    }

    /// <summary>Reports the refusal of a dial, before the dial counts as tried.</summary>
    public void Report(LinkRefusal refusal)
    {
        if (refusal.Reason != RefusalReason.AlreadyConnected)
        {
            dialRefused(refusal);
        }

        Tell(refusal);
    }

    // That a pair is connected already is no fault and stays quiet.
    private void Tell(LinkRefusal refusal)
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

        // Users hear of it on a thread of their own: this may be the loop that accepts.
        refused.Add(refusal);
    }
}
