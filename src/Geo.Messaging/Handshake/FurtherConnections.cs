namespace Geo.Messaging;

/// <summary>
/// Takes in the accepted connections of links after the first: those that are opened with the link, and the bulk lanes of one that is up.
/// </summary>
internal sealed class FurtherConnections(
    NodeContext context, LinkTable links, AcceptorReplies replies, OpeningConnections opening)
{
    /// <summary>Takes one in.</summary>
    /// <returns>Ends with the connection.</returns>
    public async Task ServeAsync(IWireConnection wire, Hello hello, int version, CancellationTokenRegistration cutOff)
    {
        // A bulk lane may come before this side has taken the link into use.
        var reservation = links.FindReservation(hello.From, hello.Link);
        var link = reservation is not null && !reservation.Awaits(hello.Lane) ? await reservation.Opened : null;
        if ((link ?? links.FindLink(hello.From, hello.Link)) is { } up)
        {
            await AddBulkAsync(wire, hello, version, up, cutOff);
            return;
        }

        reservation = links.FindReservation(hello.From, hello.Link);
        if (reservation is null)
        {
            await replies.RefuseAsync(wire, links.Refusals.Unwanted(hello));
            return;
        }

        await replies.WelcomeAsync(wire, version);
        if (!await HandshakeStream.ReadReadyAsync(wire) || !cutOff.Unregister())
        {
            return;
        }

        if (!reservation.TryAdd(hello.Lane, wire))
        {
            replies.Report(wire, links.Refusals.Unwanted(hello));
            return;
        }

        // Open or not, it is the link's from here on.
        await reservation.Over;
    }

    private async Task AddBulkAsync(IWireConnection wire, Hello hello, int version, PeerLink link, CancellationTokenRegistration cutOff)
    {
        var connections = context.Accounts.Of(hello.From).Connections;
        if (!connections.TryTake(1))
        {
            await replies.RefuseAsync(wire, links.Refusals.TooMany(1));
            return;
        }

        try
        {
            await replies.WelcomeAsync(wire, version);
            if (!await HandshakeStream.ReadReadyAsync(wire) || !cutOff.Unregister())
            {
                return;
            }

            if (link.TryAdd(hello.Lane, wire) is not { } over)
            {
                replies.Report(wire, links.Refusals.Unwanted(hello));
                return;
            }

            opening.Remove(wire);
            await over;
        }
        finally
        {
            connections.Return(1);
        }
    }
}
