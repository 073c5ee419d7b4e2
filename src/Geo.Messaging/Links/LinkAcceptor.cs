using System.Security.Authentication;
using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>Accepts connections, answers their handshakes and turns the welcome ones into links.</summary>
internal sealed class LinkAcceptor(LaneContext context, PeerIdentity local, WireVersions versions, LinkTable links, LinkOpening opening)
{
    private static readonly TimeSpan PauseAfterFailure = TimeSpan.FromMilliseconds(100);

    private int _connections;

    private ILogger Logger => context.Logger;

    /// <summary>Accepts until the listener is closed.</summary>
    public async Task RunAsync(IWireListener listener, CancellationToken stopping)
    {
        while (!stopping.IsCancellationRequested)
        {
            try
            {
                var wire = await listener.AcceptAsync(stopping);
                _ = ServeAsync(wire);
            }
            catch (OperationCanceledException) when (stopping.IsCancellationRequested)
            {
                return;
            }
            catch (IOException e) when (!stopping.IsCancellationRequested)
            {
                // Out of descriptors, or the dialler was gone already: the next one may do.
                MessagingLog.AcceptFailed(Logger, listener.Address, e.Message);
                await Task.Delay(PauseAfterFailure, context.Time, CancellationToken.None);
            }
            catch (IOException)
            {
                return;
            }
        }
    }

    private async Task ServeAsync(IWireConnection wire)
    {
        using var held = wire;
        var count = Interlocked.Increment(ref _connections);
        try
        {
            using var timeout = new CancellationTokenSource(context.Options.HandshakeTimeout, context.Time);
            using var cutOff = timeout.Token.UnsafeRegister(static state => ((IWireConnection)state!).Dispose(), wire);
            var hello = await HandshakeStream.ReadHelloAsync(wire);
            if (RefusalOf(hello, tooMany: count > context.Options.MaxConnections) is { } refusal)
            {
                await RefuseAsync(wire, refusal);
            }
            else if (hello.OpensLink)
            {
                await OpenAsync(wire, hello, timeout, cutOff);
            }
            else
            {
                await JoinAsync(wire, hello, cutOff);
            }
        }
        catch (GeoSerializationException e)
        {
            await TryRefuseAsync(wire, new Refusal(RefusalReason.Malformed, e.Message, local.Peer));
        }
        catch (AuthenticationException e)
        {
            opening.Refused(new LinkRefusal(RefusalReason.Untrusted, e.Message, wire.Remote, RefusedByRemote: false));
        }
        catch (IOException e)
        {
            MessagingLog.HandshakeCutOff(Logger, wire.Remote, e.Message);
        }
#pragma warning disable CA1031 // Nobody awaits this task: what goes wrong with one connection is said here or nowhere.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.OpeningFailed(Logger, e, wire.Remote);
        }
        finally
        {
            Interlocked.Decrement(ref _connections);
        }
    }

    private Refusal? RefusalOf(Hello hello, bool tooMany) =>
        tooMany
            ? new Refusal(
                RefusalReason.TooManyConnections,
                $"{local} has {context.Options.MaxConnections} connections, as many as MaxConnections allows", local.Peer)
        : versions.Common(hello.Versions) is null
            ? new Refusal(
                RefusalReason.WireVersion,
                $"{local} speaks wire version {versions}, {hello.From} speaks {hello.Versions}; upgrade the older one", local.Peer)
        : null;

    // The first connection of a link: holds the place until all the others are there, then is the link's owner on this side.
    private async Task OpenAsync(IWireConnection wire, Hello hello, CancellationTokenSource timeout, CancellationTokenRegistration cutOff)
    {
        var reservation = new Reservation(hello, VersionWith(hello), context);
        try
        {
            if ((opening.Judge(hello.From, hello.Facts) ?? links.Reserve(reservation, hello.ExpectedCluster)) is { } refusal)
            {
                await RefuseAsync(wire, refusal);
                return;
            }

            await WelcomeAsync(wire, hello);
            timeout.CancelAfter(context.Options.HandshakeTimeout * hello.Plan.Lanes.Length);
            if (!await HandshakeStream.ReadReadyAsync(wire) || !reservation.TryAdd(hello.Lane, wire, hello.MaxMessageBytes))
            {
                return;
            }

            // The dialler said Ready on the others before, but on connections of their own. They are on their way, or will never come:
            // a plan of many connections earns a link no longer wait any more.
            timeout.CancelAfter(context.Options.HandshakeTimeout);
            using var tooLate = timeout.Token.UnsafeRegister(static state => ((Reservation)state!).End(), reservation);
            await reservation.Complete.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!reservation.Complete.IsCompletedSuccessfully || !cutOff.Unregister() || !tooLate.Unregister())
            {
                return;
            }

            var link = reservation.ToLink();
            if (links.Fill(reservation, link))
            {
                reservation.Open(link);
                await opening.ServeAsync(link, wire.Remote);
            }
        }
        finally
        {
            links.Release(reservation);
            reservation.End();
        }
    }

    // A further connection of a link: one of its first, while the very first holds the place, or a bulk lane of one that is up.
    private async Task JoinAsync(IWireConnection wire, Hello hello, CancellationTokenRegistration cutOff)
    {
        // A bulk lane may come before this side has taken the link into use.
        var link = links.FindReservation(hello.From, hello.Link) is { } opening && !opening.Awaits(hello.Lane)
            ? await opening.Opened
            : null;
        if ((link ?? links.FindLink(hello.From, hello.Link)) is { } up)
        {
            await WelcomeAsync(wire, hello);
            if (await HandshakeStream.ReadReadyAsync(wire) && cutOff.Unregister() && up.TryAdd(hello.Lane, wire))
            {
                await up.Ended;
            }

            return;
        }

        if (links.FindReservation(hello.From, hello.Link) is not { } reservation)
        {
            await RefuseAsync(wire, new Refusal(
                RefusalReason.UnknownLink, $"{local} knows no link of {hello.From} that the connection {hello.Lane} could belong to",
                local.Peer));
            return;
        }

        await WelcomeAsync(wire, hello);
        if (await HandshakeStream.ReadReadyAsync(wire) && cutOff.Unregister()
            && reservation.TryAdd(hello.Lane, wire, hello.MaxMessageBytes))
        {
            await reservation.Over;
        }
    }

    // Only for a dialler that was not refused: then the ranges meet.
    private int VersionWith(Hello hello) => versions.Common(hello.Versions)!.Value;

    private ValueTask WelcomeAsync(IWireConnection wire, Hello hello) => HandshakeStream.WriteAsync(
        wire,
        Handshake.Write(new Welcome(
            VersionWith(hello), local, context.Options.MaxMessageBytes, context.Options.MaxGatheredBytes,
            context.Options.Facts?.Own ?? default)));

    private async Task TryRefuseAsync(IWireConnection wire, Refusal refusal)
    {
        try
        {
            await RefuseAsync(wire, refusal);
        }
        catch (IOException e)
        {
            MessagingLog.HandshakeCutOff(Logger, wire.Remote, e.Message);
        }
    }

    private async Task RefuseAsync(IWireConnection wire, Refusal refusal)
    {
        context.Metrics.Refused(refusal.Reason);
        opening.Refused(new LinkRefusal(refusal.Reason, refusal.Message, wire.Remote, RefusedByRemote: false));
        await HandshakeStream.WriteAsync(wire, Handshake.Write(refusal));

        // Closing with unread bytes would reset the connection and could take the refusal with it: the remote closes first.
        wire.FinishSending();
        var rest = new byte[256];
        while (await wire.ReceiveAsync(rest) > 0)
        {
        }
    }
}
