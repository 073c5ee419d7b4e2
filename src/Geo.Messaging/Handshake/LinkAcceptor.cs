using System.Security.Authentication;

namespace Geo.Messaging;

/// <summary>Accepts connections, answers their handshakes and turns the welcome ones into links.</summary>
internal sealed class LinkAcceptor(
    NodeContext context, PeerIdentity local, WireVersions versions, LinkTable links, Admission admission)
{
    private static readonly TimeSpan PauseAfterFailure = TimeSpan.FromMilliseconds(100);

    private readonly AcceptedConnections _accepted = new(context, links, admission);

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
#pragma warning disable CA1031 // Whatever went wrong with this one, accepting never ends before the node does.
            catch (Exception e)
#pragma warning restore CA1031
            {
                if (stopping.IsCancellationRequested)
                {
                    return;
                }

                // Out of descriptors, or the dialler was gone already, or the TLS files: the next one may do.
                MessagingLog.AcceptFailed(context.Logger, listener.Address, e.Message);
                await Task.Delay(PauseAfterFailure, context.Time, CancellationToken.None);
            }
        }
    }

    private async Task ServeAsync(IWireConnection wire)
    {
        using var held = wire;
        if (_accepted.Opening.Add(wire) is { } slowest)
        {
            context.Metrics.CutOff("too-many-opening");
            slowest.Dispose();
            links.GiveUp(slowest);
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
                await admission.RefuseAsync(
                    wire,
                    new Refusal(
                        RefusalReason.WireVersion,
                        $"{local} speaks wire version {versions}, {hello.From} speaks {hello.Versions}; upgrade the older one",
                        local.Peer));
            }
            else if (admission.Identify(wire, hello.From, out var from) is { } unknown)
            {
                await admission.RefuseAsync(wire, unknown);
            }
            else if (hello.OpensLink)
            {
                await _accepted.ServeFirstAsync(wire, hello with { From = from }, version, cutOff, deadline.Token);
            }
            else
            {
                await _accepted.ServeFurtherAsync(wire, hello with { From = from }, version, cutOff);
            }
        }
        catch (GeoSerializationException e)
        {
            await TryRefuseAsync(wire, e.Message);
        }
        catch (AuthenticationException e)
        {
            admission.Report(wire, new Refusal(RefusalReason.Untrusted, e.Message));
        }
        catch (IOException e)
        {
            context.Metrics.ShookHands("broken");
            MessagingLog.HandshakeCutOff(context.Logger, wire.Remote, e.Message);
        }
#pragma warning disable CA1031 // Nobody awaits this task: what goes wrong with one connection is said here or nowhere.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.OpeningFailed(context.Logger, e, wire.Remote);
        }
        finally
        {
            _accepted.Opening.Remove(wire);
        }
    }

    private async Task TryRefuseAsync(IWireConnection wire, string fault)
    {
        try
        {
            await admission.RefuseAsync(wire, new Refusal(RefusalReason.Malformed, fault, local.Peer));
        }
        catch (IOException e)
        {
            MessagingLog.HandshakeCutOff(context.Logger, wire.Remote, e.Message);
        }
    }
}
