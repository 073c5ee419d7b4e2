namespace Geo.Messaging;

/// <summary>Takes in the accepted connections that open links.</summary>
internal sealed class FirstConnections(
    NodeContext context, LinkTable links, Admission admission, LinkService service, AcceptorReplies replies, OpeningConnections opening)
{
    /// <summary>Waits until all the others of its link are there, then is the link's owner on this side.</summary>
    /// <returns>Ends with the link.</returns>
    public async Task ServeAsync(
        IWireConnection wire, Hello hello, int version, CancellationTokenRegistration cutOff, CancellationToken deadline)
    {
        var reservation = new Reservation(hello, version, context, opening);
        try
        {
            if ((admission.Judge(hello.From, hello.Facts) ?? links.Reserve(reservation, hello.ExpectedCluster)) is { } refusal)
            {
                await replies.RefuseAsync(wire, refusal);
                return;
            }

            await replies.WelcomeAsync(wire, version);
            if (!await HandshakeStream.ReadReadyAsync(wire))
            {
                return;
            }

            if (!reservation.TryAdd(hello.Lane, wire))
            {
                replies.Report(wire, links.Refusals.Unwanted(hello));
                return;
            }

            // The dialler said Ready on the others before, but on connections of their own. They are on their way, or will never come.
            using var tooLate = deadline.UnsafeRegister(static state => ((Reservation)state!).End(), reservation);
            await reservation.Complete.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (reservation.Complete.IsCompletedSuccessfully && cutOff.Unregister() && tooLate.Unregister())
            {
                await UseAsync(reservation, wire);
            }
        }
        finally
        {
            links.Release(reservation);
            reservation.End();
        }
    }

    private async Task UseAsync(Reservation reservation, IWireConnection wire)
    {
        var link = reservation.ToLink();
        if (links.Fill(reservation, link) is { } refusal)
        {
            // Others were quicker. Its dialler takes the link for open and sees it end.
            replies.Report(wire, refusal);
            return;
        }

        reservation.Open(link);
        await service.RunAsync(link, wire.Remote);
    }
}
