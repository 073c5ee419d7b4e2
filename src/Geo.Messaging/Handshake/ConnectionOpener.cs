using System.Security.Authentication;

namespace Geo.Messaging;

/// <summary>Makes the connections of links to one address and shakes hands on each, within a deadline that its caller sets.</summary>
internal sealed class ConnectionOpener(
    NodeContext context, PeerIdentity local, WireVersions versions, IWireTransport transport, Admission admission, PeerAddress address,
    ClusterId cluster)
{
    private const int MaxAttemptsPerLane = 32;

    public LanePlan Plan { get; } = LanePlan.Of(context.Options);

    public async Task<IWireConnection> ConnectAsync(CancellationToken deadline, CancellationToken stopping)
    {
        try
        {
            return await transport.ConnectAsync(address, deadline);
        }
        catch (OperationCanceledException) when (!stopping.IsCancellationRequested)
        {
            throw new IOException($"{address} did not accept a connection within {context.Options.HandshakeTimeout.TotalSeconds:0.###} s");
        }
    }

    /// <summary>Adds a link's connections after the first, all opened at once, in the plan's order.</summary>
    /// <returns>Null when all are open; else why one was refused.</returns>
    public async Task<Refusal?> OpenOthersAsync(
        List<IWireConnection> wires, PeerIdentity remote, ulong link, CancellationToken deadline, CancellationToken stopping)
    {
        var opening = Plan.FirstLanes.Skip(1).Select(lane => OpenFurtherAsync(remote, link, lane, deadline, stopping)).ToList();
        try
        {
            await Task.WhenAll(opening);
        }
        finally
        {
            wires.AddRange(opening.Where(each => each.IsCompletedSuccessfully).Select(each => each.Result.Wire).OfType<IWireConnection>());
        }

        return opening.Select(each => each.Result.Refusal).FirstOrDefault(refusal => refusal is not null);
    }

    /// <summary>Opens a bulk lane of a link that is up: the dialling may be over, so it has a deadline of its own.</summary>
    public async Task<IWireConnection> OpenBulkAsync(PeerIdentity remote, ulong link, LaneId lane)
    {
        using var deadline = new CancellationTokenSource(context.Options.HandshakeTimeout, context.Time);
        var (wire, refusal) = await OpenFurtherAsync(remote, link, lane, deadline.Token, CancellationToken.None);
        if (wire is null)
        {
            throw new IOException(refusal!.Message);
        }

        try
        {
            await HandshakeStream.WriteReadyAsync(wire);
            return wire;
        }
        catch
        {
            wire.Dispose();
            throw;
        }
    }

    /// <exception cref="GeoSerializationException">It makes no sense.</exception>
    /// <exception cref="AuthenticationException">Who answers is not who its certificate says.</exception>
    /// <exception cref="IOException">The connection broke, or the deadline passed.</exception>
    public async Task<(Welcome? Welcome, Refusal? Refusal)> GreetAsync(
        IWireConnection wire, ulong link, LaneId lane, CancellationToken deadline)
    {
        using var cutOff = deadline.UnsafeRegister(static state => ((IWireConnection)state!).Dispose(), wire);
        var hello = new Hello(
            versions, local, cluster, link, Plan, lane, context.Options.MaxMessageBytes, context.Options.MaxGatheredBytes,
            context.Options.Facts?.Own ?? default);
        try
        {
            await HandshakeStream.WriteAsync(wire, Handshake.Write(hello));
            return await HandshakeStream.ReadAnswerAsync(wire) switch
            {
                Welcome welcome when versions.Common(new WireVersions(welcome.Version, welcome.Version)) is null =>
                    throw new GeoSerializationException($"{welcome.From} chose wire version {welcome.Version}, which was not offered."),
                Welcome welcome when admission.Identify(wire, welcome.From, out var from) is var unknown =>
                    unknown is null ? (welcome with { From = from }, null) : throw new AuthenticationException(unknown.Message),
                Refusal refusal => (null, refusal),
                var answer => throw new InvalidOperationException($"{answer} is no answer."),
            };
        }
        catch
        {
            wire.Dispose();
            throw;
        }
    }

    // Behind a load balancer a further connection may reach another silo of the cluster: a few attempts find the right one again.
    private async Task<(IWireConnection? Wire, Refusal? Refusal)> OpenFurtherAsync(
        PeerIdentity remote, ulong link, LaneId lane, CancellationToken deadline, CancellationToken stopping)
    {
        for (var attempt = 1; ; attempt++)
        {
            var wire = await ConnectAsync(deadline, stopping);
            var (welcome, refusal) = await GreetAsync(wire, link, lane, deadline);
            if (welcome is not null && welcome.From.IsSameStart(remote))
            {
                return (wire, null);
            }

            wire.Dispose();
            refusal ??= new Refusal(RefusalReason.UnknownLink, $"{welcome!.From} answered");
            if (refusal.Reason != RefusalReason.UnknownLink || attempt == MaxAttemptsPerLane)
            {
                return (null, refusal with { Message = $"the connection {lane} to {remote} was refused: {refusal.Message}" });
            }
        }
    }
}
