using System.Security.Authentication;

namespace Geo.Messaging;

/// <summary>Accepts connections, answers their handshakes and turns the welcome ones into links.</summary>
internal sealed class LinkAcceptor
{
    private static readonly TimeSpan PauseAfterFailure = TimeSpan.FromMilliseconds(100);

    private readonly NodeContext _context;
    private readonly PeerIdentity _local;
    private readonly WireVersions _versions;
    private readonly Admission _admission;
    private readonly OpeningConnections _opening;
    private readonly AcceptorReplies _replies;
    private readonly FirstConnections _first;
    private readonly FurtherConnections _further;

    public LinkAcceptor(
        NodeContext context, PeerIdentity local, WireVersions versions, LinkTable links, Admission admission, LinkService service)
    {
        (_context, _local, _versions, _admission) = (context, local, versions, admission);
        _opening = new OpeningConnections(context.Options.MaxOpeningConnections);
        _replies = new AcceptorReplies(context, local, admission);
        _first = new FirstConnections(context, links, admission, service, _replies, _opening);
        _further = new FurtherConnections(context, links, _replies, _opening);
    }

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
                MessagingLog.AcceptFailed(_context.Logger, listener.Address, e.Message);
                await Task.Delay(PauseAfterFailure, _context.Time, CancellationToken.None);
            }
        }
    }

    private async Task ServeAsync(IWireConnection wire)
    {
        using var held = wire;
        if (_opening.Add(wire) is { } slowest)
        {
            _context.Metrics.CutOff("too-many-opening");
            slowest.Dispose();
        }

        // For all that is to come before the link is open, whatever the number of its connections, and for hearing a refusal.
        using var deadline = new CancellationTokenSource(_context.Options.HandshakeTimeout, _context.Time);
        using var cutOff = deadline.Token.UnsafeRegister(
            state =>
            {
                _context.Metrics.CutOff("handshake-timeout");
                ((IWireConnection)state!).Dispose();
            },
            wire);
        try
        {
            var hello = await HandshakeStream.ReadHelloAsync(wire);
            if (_versions.Common(hello.Versions) is not { } version)
            {
                await _replies.RefuseAsync(
                    wire, RefusalReason.WireVersion,
                    $"{_local} speaks wire version {_versions}, {hello.From} speaks {hello.Versions}; upgrade the older one");
            }
            else if (_admission.Identify(wire, hello.From, out var from) is { } unknown)
            {
                await _replies.RefuseAsync(wire, unknown);
            }
            else if (hello.OpensLink)
            {
                await _first.ServeAsync(wire, hello with { From = from }, version, cutOff, deadline.Token);
            }
            else
            {
                await _further.ServeAsync(wire, hello with { From = from }, version, cutOff);
            }
        }
        catch (GeoSerializationException e)
        {
            await TryRefuseAsync(wire, e.Message);
        }
        catch (AuthenticationException e)
        {
            _replies.Report(wire, RefusalReason.Untrusted, e.Message);
        }
        catch (IOException e)
        {
            _context.Metrics.ShookHands("broken");
            MessagingLog.HandshakeCutOff(_context.Logger, wire.Remote, e.Message);
        }
#pragma warning disable CA1031 // Nobody awaits this task: what goes wrong with one connection is said here or nowhere.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.OpeningFailed(_context.Logger, e, wire.Remote);
        }
        finally
        {
            _opening.Remove(wire);
        }
    }

    private async Task TryRefuseAsync(IWireConnection wire, string fault)
    {
        try
        {
            await _replies.RefuseAsync(wire, RefusalReason.Malformed, fault);
        }
        catch (IOException e)
        {
            MessagingLog.HandshakeCutOff(_context.Logger, wire.Remote, e.Message);
        }
    }
}
