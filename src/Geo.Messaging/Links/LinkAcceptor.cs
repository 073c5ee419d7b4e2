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
            var lane = await AnswerAsync(wire, tooMany: count > context.Options.MaxConnections);
            if (lane is not null)
            {
                await opening.ServeAsync(lane, wire.Remote);
            }
        }
        catch (IOException e)
        {
            MessagingLog.HandshakeCutOff(Logger, wire.Remote, e.Message);
        }
        finally
        {
            Interlocked.Decrement(ref _connections);
        }
    }

    private async Task<Lane?> AnswerAsync(IWireConnection wire, bool tooMany)
    {
        using var timeout = new CancellationTokenSource(context.Options.HandshakeTimeout, context.Time);
        using var cutOff = timeout.Token.UnsafeRegister(static state => ((IWireConnection)state!).Dispose(), wire);
        PeerIdentity? reserved = null;
        try
        {
            var hello = await HandshakeStream.ReadHelloAsync(wire);
            var version = versions.Common(hello.Versions);
            var refusal = tooMany
                ? new Refusal(RefusalReason.TooManyConnections, $"{local} has {context.Options.MaxConnections} connections, as many as MaxConnections allows", local.Peer)
                : version is null
                    ? new Refusal(RefusalReason.WireVersion, $"{local} speaks wire version {versions}, {hello.From} speaks {hello.Versions}; upgrade the older one", local.Peer)
                    : links.Reserve(hello.From, hello.ExpectedCluster);
            if (refusal is not null)
            {
                await RefuseAsync(wire, refusal);
                return null;
            }

            reserved = hello.From;
            await HandshakeStream.WriteAsync(wire, Handshake.Write(new Welcome(version!.Value, local, context.Options.MaxMessageBytes)));
            if (!await HandshakeStream.ReadReadyAsync(wire))
            {
                return null;
            }

            var lane = new Lane(context, wire, hello.From, hello.MaxMessageBytes);
            return links.Fill(lane) ? lane : null;
        }
        catch (GeoSerializationException e)
        {
            await RefuseAsync(wire, new Refusal(RefusalReason.Malformed, e.Message, local.Peer));
            return null;
        }
        finally
        {
            if (reserved is not null)
            {
                links.Release(reserved);
            }
        }
    }

    private async Task RefuseAsync(IWireConnection wire, Refusal refusal)
    {
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
