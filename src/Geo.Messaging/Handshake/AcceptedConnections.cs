namespace Geo.Messaging;

/// <summary>
/// Takes in the accepted connections whose diallers are known: those that open links, those that are opened with them, and the bulk lanes
/// of links that are up.
/// </summary>
internal sealed class AcceptedConnections(NodeContext context, LinkTable links, Admission admission)
{
    /// <summary>Those whose link is not open yet.</summary>
    public OpeningConnections Opening { get; } = new(context.Options.MaxOpeningConnections);

    /// <summary>Waits until all the others of its link are there, then is the link's owner on this side.</summary>
    /// <returns>Ends with the link.</returns>
    public async Task ServeFirstAsync(
        IWireConnection wire, Hello hello, int version, CancellationTokenRegistration cutOff, CancellationToken deadline)
    {
        var reservation = new Reservation(hello, version, context, Opening);
        try
        {
            if ((admission.Judge(hello.From, hello.Facts) ?? links.Reserve(reservation, hello.ExpectedCluster)) is { } refusal)
            {
                await admission.RefuseAsync(wire, refusal);
                return;
            }

            await admission.WelcomeAsync(wire, version);
            if (!await HandshakeStream.ReadReadyAsync(wire))
            {
                return;
            }

            if (!reservation.TryAdd(hello.Lane, wire))
            {
                admission.Report(wire, links.Refusals.Unwanted(hello));
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

    /// <summary>Takes one in that belongs to a link.</summary>
    /// <returns>Ends with the connection.</returns>
    public async Task ServeFurtherAsync(IWireConnection wire, Hello hello, int version, CancellationTokenRegistration cutOff)
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
            await admission.RefuseAsync(wire, links.Refusals.Unwanted(hello));
            return;
        }

        // Open or not, it is the link's from there on.
        await JoinAsync(wire, hello, version, cutOff, () => reservation.TryAdd(hello.Lane, wire) ? reservation.Over : null);
    }

    private async Task UseAsync(Reservation reservation, IWireConnection wire)
    {
        var link = reservation.ToLink();
        if (links.Fill(reservation, link) is { } refusal)
        {
            // Others were quicker. Its dialler takes the link for open and sees it end.
            admission.Report(wire, refusal);
            return;
        }

        reservation.Open(link);
        await links.RunAsync(link, wire.Remote);
    }

    private async Task AddBulkAsync(IWireConnection wire, Hello hello, int version, PeerLink link, CancellationTokenRegistration cutOff)
    {
        var connections = context.Accounts.Of(hello.From).Connections;
        if (!connections.TryTake(1))
        {
            await admission.RefuseAsync(wire, links.Refusals.TooMany(1));
            return;
        }

        try
        {
            await JoinAsync(wire, hello, version, cutOff, () =>
            {
                var over = link.TryAdd(hello.Lane, wire);
                if (over is not null)
                {
                    Opening.Remove(wire);
                }

                return over;
            });
        }
        finally
        {
            connections.Return(1);
        }
    }

    private async Task JoinAsync(
        IWireConnection wire, Hello hello, int version, CancellationTokenRegistration cutOff, Func<Task?> tryAdd)
    {
        await admission.WelcomeAsync(wire, version);
        if (!await HandshakeStream.ReadReadyAsync(wire) || !cutOff.Unregister())
        {
            return;
        }

        if (tryAdd() is not { } over)
        {
            admission.Report(wire, links.Refusals.Unwanted(hello));
            return;
        }

        await over;
    }
}
