namespace Geo.Messaging;

/// <summary>Answers the handshakes of accepted connections, and counts and reports what it refuses.</summary>
internal sealed class AcceptorReplies(NodeContext context, PeerIdentity local, Admission admission)
{
    public ValueTask WelcomeAsync(IWireConnection wire, int version)
    {
        context.Metrics.ShookHands("accepted");
        var options = context.Options;
        return HandshakeStream.WriteAsync(
            wire,
            Handshake.Write(
                new Welcome(version, local, options.MaxMessageBytes, options.MaxGatheredBytes, options.Facts?.Own ?? default)));
    }

    public Task RefuseAsync(IWireConnection wire, RefusalReason reason, string message) =>
        RefuseAsync(wire, new Refusal(reason, message, local.Peer));

    /// <summary>Refuses a connection and waits until its dialler has closed it.</summary>
    /// <exception cref="IOException">It broke before.</exception>
    public Task RefuseAsync(IWireConnection wire, Refusal refusal)
    {
        Report(wire, refusal);
        return HandshakeStream.WriteLastAsync(wire, refusal);
    }

    /// <inheritdoc cref="Report(IWireConnection, RefusalReason, string)"/>
    public void Report(IWireConnection wire, Refusal refusal) => Report(wire, refusal.Reason, refusal.Message);

    /// <summary>Counts and reports a connection that is not let in.</summary>
    public void Report(IWireConnection wire, RefusalReason reason, string message)
    {
        context.Metrics.ShookHands("refused");
        context.Metrics.Refused(reason);
        admission.Report(new LinkRefusal(reason, message, wire.Remote, RefusedByRemote: false));
    }
}
