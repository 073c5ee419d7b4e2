using System.Security.Authentication;
using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>Accepts connections, answers their handshakes and turns the welcome ones into links.</summary>
internal sealed class LinkAcceptor(
    NodeContext context, PeerIdentity local, WireVersions versions, LinkTable links, Admission admission, LinkService service)
{
    private static readonly TimeSpan PauseAfterFailure = TimeSpan.FromMilliseconds(100);

    private readonly OpeningConnections _opening = new(context.Options.MaxOpeningConnections);

    // Of links that are open.
    private readonly CountLimit _connections = new(context.Options.MaxConnections);

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
        if (_opening.Add(wire) is { } slowest)
        {
            context.Metrics.CutOff("too-many-opening");
            slowest.Dispose();
        }

        // For all that is to come before the link is open, whatever the number of its connections, and for hearing a refusal.
        using var deadline = new CancellationTokenSource(context.Options.HandshakeTimeout, context.Time);
        using var cutOff = deadline.Token.UnsafeRegister(
            state =>
            {
                context.Metrics.CutOff("handshake-timeout");
                ((IWireConnection)state!).Dispose();
            },
            wire);
        try
        {
            var hello = await HandshakeStream.ReadHelloAsync(wire);
            if (versions.Common(hello.Versions) is not { } version)
            {
                await RefuseAsync(wire, new Refusal(
                    RefusalReason.WireVersion,
                    $"{local} speaks wire version {versions}, {hello.From} speaks {hello.Versions}; upgrade the older one", local.Peer));
            }
            else if (admission.Identify(wire, hello.From, out var from) is { } unknown)
            {
                await RefuseAsync(wire, unknown);
            }
            else if (hello.OpensLink)
            {
                await OpenAsync(wire, hello with { From = from }, version, cutOff, deadline.Token);
            }
            else
            {
                await JoinAsync(wire, hello with { From = from }, version, cutOff);
            }
        }
        catch (GeoSerializationException e)
        {
            await TryRefuseAsync(wire, new Refusal(RefusalReason.Malformed, e.Message, local.Peer));
        }
        catch (AuthenticationException e)
        {
            context.Metrics.ShookHands("refused");
            context.Metrics.Refused(RefusalReason.Untrusted);
            admission.Report(new LinkRefusal(RefusalReason.Untrusted, e.Message, wire.Remote, RefusedByRemote: false));
        }
        catch (IOException e)
        {
            context.Metrics.ShookHands("broken");
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
            _opening.Remove(wire);
        }
    }

    // The first connection of a link: waits until all the others are there, then is the link's owner on this side.
    private async Task OpenAsync(
        IWireConnection wire, Hello hello, int version, CancellationTokenRegistration cutOff, CancellationToken deadline)
    {
        var reservation = new Reservation(hello, version, context);
        try
        {
            var objection = _connections.Count + reservation.Connections > context.Options.MaxConnections
                ? TooMany(reservation.Connections)
                : admission.Judge(hello.From, hello.Facts);
            if ((objection ?? links.Reserve(reservation, hello.ExpectedCluster)) is { } refusal)
            {
                await RefuseAsync(wire, refusal);
                return;
            }

            await WelcomeAsync(wire, version);
            if (!await HandshakeStream.ReadReadyAsync(wire) || !reservation.TryAdd(hello.Lane, wire))
            {
                return;
            }

            // The dialler said Ready on the others before, but on connections of their own. They are on their way, or will never come.
            using var tooLate = deadline.UnsafeRegister(static state => ((Reservation)state!).End(), reservation);
            await reservation.Complete.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (reservation.Complete.IsCompletedSuccessfully && cutOff.Unregister() && tooLate.Unregister())
            {
                _opening.Remove(wire);
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
        if (!_connections.TryEnter(reservation.Connections))
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
            _connections.Leave(reservation.Connections);
        }
    }

    // A further connection of a link: one of its first, before it is open, or a bulk lane of one that is up.
    private async Task JoinAsync(IWireConnection wire, Hello hello, int version, CancellationTokenRegistration cutOff)
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
            await RefuseAsync(wire, new Refusal(
                RefusalReason.UnknownLink, $"{local} knows no link of {hello.From} that the connection {hello.Lane} could belong to",
                local.Peer));
            return;
        }

        await WelcomeAsync(wire, version);
        if (await HandshakeStream.ReadReadyAsync(wire) && cutOff.Unregister() && reservation.TryAdd(hello.Lane, wire))
        {
            // Open or not, it is the link's from here on.
            await reservation.Opened;
            _opening.Remove(wire);
            await reservation.Over;
        }
    }

    private async Task AddBulkAsync(IWireConnection wire, Hello hello, int version, PeerLink link, CancellationTokenRegistration cutOff)
    {
        if (!_connections.TryEnter())
        {
            await RefuseAsync(wire, TooMany(1));
            return;
        }

        try
        {
            await WelcomeAsync(wire, version);
            if (await HandshakeStream.ReadReadyAsync(wire) && cutOff.Unregister() && link.TryAdd(hello.Lane, wire) is { } over)
            {
                _opening.Remove(wire);
                await over;
            }
        }
        finally
        {
            _connections.Leave();
        }
    }

    private Refusal TooMany(int more) => new(
        RefusalReason.TooManyConnections,
        $"{local} has {_connections.Count} connections and was asked for {more} more; MaxConnections allows"
        + $" {context.Options.MaxConnections}",
        local.Peer);

    private ValueTask WelcomeAsync(IWireConnection wire, int version)
    {
        context.Metrics.ShookHands("accepted");
        return HandshakeStream.WriteAsync(
            wire,
            Handshake.Write(new Welcome(
                version, local, context.Options.MaxMessageBytes, context.Options.MaxGatheredBytes,
                context.Options.Facts?.Own ?? default)));
    }

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
        context.Metrics.ShookHands("refused");
        context.Metrics.Refused(refusal.Reason);
        admission.Report(new LinkRefusal(refusal.Reason, refusal.Message, wire.Remote, RefusedByRemote: false));
        await HandshakeStream.WriteLastAsync(wire, refusal);
    }
}
