namespace Geo.Messaging;

/// <summary>Takes in the accepted connections that open links.</summary>
/// <param name="context">The node's.</param>
/// <param name="links">Its links.</param>
/// <param name="admission">Whom its host accepts.</param>
/// <param name="service">What uses a link that is open.</param>
/// <param name="replies">What answers the diallers.</param>
/// <param name="opening">The connections whose link is not open, of which they are.</param>
/// <param name="connections">Counts those of links that are open.</param>
internal sealed class FirstConnections(
    NodeContext context, LinkTable links, Admission admission, LinkService service, AcceptorReplies replies, OpeningConnections opening,
    CountLimit connections)
{
    /// <summary>Waits until all the others of its link are there, then is the link's owner on this side.</summary>
    /// <param name="wire">The connection.</param>
    /// <param name="hello">What its dialler said.</param>
    /// <param name="version">The wire version.</param>
    /// <param name="cutOff">What ends the connection when its handshake takes too long.</param>
    /// <param name="deadline">Set when opening the link takes too long.</param>
    /// <returns>Ends with the link.</returns>
    public async Task ServeAsync(
        IWireConnection wire, Hello hello, int version, CancellationTokenRegistration cutOff, CancellationToken deadline)
    {
        var reservation = new Reservation(hello, version, context);
        try
        {
            var objection = connections.Count + reservation.Connections > context.Options.MaxConnections
                ? replies.TooMany(connections.Count, reservation.Connections)
                : admission.Judge(hello.From, hello.Facts);
            if ((objection ?? links.Reserve(reservation, hello.ExpectedCluster)) is { } refusal)
            {
                await replies.RefuseAsync(wire, refusal);
                return;
            }

            await replies.WelcomeAsync(wire, version);
            if (!await HandshakeStream.ReadReadyAsync(wire) || !reservation.TryAdd(hello.Lane, wire))
            {
                return;
            }

            // The dialler said Ready on the others before, but on connections of their own. They are on their way, or will never come.
            using var tooLate = deadline.UnsafeRegister(static state => ((Reservation)state!).End(), reservation);
            await reservation.Complete.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (reservation.Complete.IsCompletedSuccessfully && cutOff.Unregister() && tooLate.Unregister())
            {
                opening.Remove(wire);
                await UseAsync(reservation, wire.Remote);
            }
        }
        finally
        {
            links.Release(reservation);
            reservation.End();
        }
    }

    private async Task UseAsync(Reservation reservation, string address)
    {
        if (!connections.TryEnter(reservation.Connections))
        {
            return;
        }

        try
        {
            var link = reservation.ToLink();
            if (links.Fill(reservation, link))
            {
                reservation.Open(link);
                await service.RunAsync(link, address);
            }
        }
        finally
        {
            connections.Leave(reservation.Connections);
        }
    }
}
