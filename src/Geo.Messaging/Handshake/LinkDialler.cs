using System.Security.Authentication;
using Microsoft.Extensions.Logging;
using Polly;
using Polly.Retry;

namespace Geo.Messaging;

/// <summary>
/// Keeps one address dialled: whenever no link to the peer there is up it dials, with jittered exponential back-off between attempts,
/// for ever.
/// </summary>
internal sealed class LinkDialler
{
    private const int MaxAttemptsPerLane = 32;

    private static long _lastLink;

    private readonly NodeContext _context;
    private readonly LanePlan _plan;
    private readonly PeerIdentity _local;
    private readonly WireVersions _versions;
    private readonly IWireTransport _transport;
    private readonly LinkTable _links;
    private readonly Admission _admission;
    private readonly LinkService _service;
    private readonly ResiliencePipeline<DialOutcome> _attempts;
    private readonly Lock _lock = new();
    private TaskCompletionSource<PeerId> _up = NewUp();
    private readonly TaskCompletionSource _tried = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private RefusalReason? _lastRefusal;
    private bool _failedBefore;
    private bool _madeBefore;

    public LinkDialler(
        NodeContext context, PeerIdentity local, WireVersions versions, IWireTransport transport, LinkTable links, Admission admission,
        LinkService service, PeerAddress address, ClusterId cluster)
    {
        (_context, _local, _versions, _transport, _links) = (context, local, versions, transport, links);
        (_admission, _service) = (admission, service);
        (Address, Cluster, _plan) = (address, cluster, LanePlan.Of(context.Options));
        _attempts = new ResiliencePipelineBuilder<DialOutcome> { TimeProvider = context.Time }
            .AddRetry(new RetryStrategyOptions<DialOutcome>
            {
                ShouldHandle = static args => ValueTask.FromResult(args.Outcome.Result == DialOutcome.Failed),
                MaxRetryAttempts = int.MaxValue,
                BackoffType = DelayBackoffType.Exponential,
                UseJitter = true,
                Delay = context.Options.ReconnectDelay,
                MaxDelay = context.Options.MaxReconnectDelay,
            })
            .Build();
    }

    /// <summary>The address that is dialled.</summary>
    public PeerAddress Address { get; }

    /// <summary>The cluster that must answer; none for any.</summary>
    public ClusterId Cluster { get; }

    private ILogger Logger => _context.Logger;

    /// <summary>Ends when the link is up; fails when a refusal shows that dialling on is in vain.</summary>
    public Task<PeerId> WhenUpAsync()
    {
        lock (_lock)
        {
            return _up.Task;
        }
    }

    /// <summary>Ends when an attempt has shown how things stand: the link is up, or was refused, or nobody was reached.</summary>
    public Task Tried => _tried.Task;

    /// <summary>Dials until stopped.</summary>
    public async Task RunAsync(CancellationToken stopping)
    {
        try
        {
            while (true)
            {
                await _attempts.ExecuteAsync(static async (self, token) => await self.DialAsync(token), this, stopping);

                // Everybody whose link to a peer ended with it is here at the same moment: they must not all dial at once.
                await Task.Delay(_context.Options.ReconnectDelay * Random.Shared.NextDouble(), _context.Time, stopping);
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            lock (_lock)
            {
                _tried.TrySetResult();
                _up.TrySetException(new GeoUnavailableException($"The node stopped or left before {Address} was reached."));
                _ = _up.Task.Exception;
            }
        }
    }

    private static TaskCompletionSource<PeerId> NewUp() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task<DialOutcome> DialAsync(CancellationToken stopping)
    {
        var started = _context.Time.GetTimestamp();
        try
        {
            // For all connections of the link together: they are opened at once.
            using var timeout = new CancellationTokenSource(_context.Options.HandshakeTimeout, _context.Time);
            using var deadline = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, stopping);
            using var wire = await ConnectAsync(deadline.Token, stopping);
            await UseAsync(wire, deadline.Token, stopping);
        }
        catch (IOException e)
        {
            Failed(e.Message);
            return DialOutcome.Failed;
        }
        catch (AuthenticationException e)
        {
            Refused(new Refusal(RefusalReason.Untrusted, e.Message.TrimEnd('.')), byRemote: false);
            return DialOutcome.Failed;
        }
        catch (GeoSerializationException e)
        {
            Refused(new Refusal(RefusalReason.Malformed, e.Message), byRemote: false);
            return DialOutcome.Failed;
        }
#pragma warning disable CA1031 // Whatever went wrong this time, dialling never ends.
        catch (Exception e) when (!stopping.IsCancellationRequested)
#pragma warning restore CA1031
        {
            MessagingLog.OpeningFailed(Logger, e, Address.ToString());
            _tried.TrySetResult();
            return DialOutcome.Failed;
        }

        // A link that breaks as soon as it is up is dialled as carefully as one that never comes up.
        return _context.Time.GetElapsedTime(started) >= _context.Options.MaxReconnectDelay ? DialOutcome.Lived : DialOutcome.Failed;
    }

    private async Task<IWireConnection> ConnectAsync(CancellationToken deadline, CancellationToken stopping)
    {
        try
        {
            return await _transport.ConnectAsync(Address, deadline);
        }
        catch (OperationCanceledException) when (!stopping.IsCancellationRequested)
        {
            throw new IOException($"{Address} did not accept a connection within {_context.Options.HandshakeTimeout.TotalSeconds:0.###} s");
        }
    }

    private async Task UseAsync(IWireConnection first, CancellationToken deadline, CancellationToken stopping)
    {
        var link = (ulong)Interlocked.Increment(ref _lastLink);
        var (welcome, refusal) = await GreetAsync(first, link, _plan.Lanes[0], deadline);
        if (refusal is not null)
        {
            await RefusedByRemoteAsync(refusal, stopping);
            return;
        }

        var remote = welcome!.From;
        if (_admission.Judge(remote, welcome.Facts) is { } unfit)
        {
            Refused(unfit, byRemote: false);
            return;
        }

        if (_links.Claim(remote, Cluster) is { } own)
        {
            if (own.Reason == RefusalReason.AlreadyConnected)
            {
                await FollowAsync(remote.Peer, stopping);
                return;
            }

            Refused(own, byRemote: false);
            return;
        }

        List<IWireConnection> wires = [first];
        try
        {
            if (await OpenOthersAsync(wires, remote, link, deadline, stopping) is { } refused)
            {
                Refused(refused, byRemote: true);
                return;
            }

            await ServeAsync(wires, link, welcome);
        }
        finally
        {
            _links.Unclaim(remote);
            wires.ForEach(wire => wire.Dispose());
        }
    }

    // Adds the link's further connections, in the plan's order; with those that were opened when one is refused or fails.
    private async Task<Refusal?> OpenOthersAsync(
        List<IWireConnection> wires, PeerIdentity remote, ulong link, CancellationToken deadline, CancellationToken stopping)
    {
        var opening = _plan.FirstLanes.Skip(1).Select(lane => OpenFurtherAsync(remote, link, lane, deadline, stopping)).ToList();
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

    private async Task ServeAsync(List<IWireConnection> wires, ulong number, Welcome welcome)
    {
        var context = new LinkContext(
            _context, welcome.From,
            new LinkTerms(number, _plan, welcome.Version, welcome.MaxMessageBytes, welcome.MaxGatheredBytes),
            lane => OpenBulkAsync(welcome.From, number, lane));
        var link = new PeerLink(context, [.. wires.Zip(_plan.FirstLanes, (wire, lane) => new Lane(context, wire, lane))]);

        // The first connection's Ready goes last: it says that the link is complete.
        for (var index = wires.Count - 1; index >= 0; index--)
        {
            await HandshakeStream.WriteReadyAsync(wires[index]);
        }

        if (_links.Fill(link))
        {
            Up(link.Remote.Peer);
            if (_madeBefore)
            {
                _context.Metrics.Reconnected(link.Remote.Peer, Address);
            }

            _madeBefore = true;
            await _service.RunAsync(link, Address.ToString());
            Down();
        }
    }

    // The link outlives the dialling, and so may a wish for more lanes: it has a deadline of its own.
    private async Task<IWireConnection> OpenBulkAsync(PeerIdentity remote, ulong link, LaneId lane)
    {
        using var deadline = new CancellationTokenSource(_context.Options.HandshakeTimeout, _context.Time);
        var (wire, refusal) = await OpenFurtherAsync(remote, link, lane, deadline.Token, CancellationToken.None);
        await HandshakeStream.WriteReadyAsync(wire ?? throw new IOException(refusal!.Message));
        return wire;
    }

    // Behind a load balancer a further connection may reach another silo of the cluster: a few attempts find the right one again.
    private async Task<(IWireConnection? Wire, Refusal? Refusal)> OpenFurtherAsync(
        PeerIdentity remote, ulong link, LaneId lane, CancellationToken deadline, CancellationToken stopping)
    {
        for (var attempt = 1; ; attempt++)
        {
            var wire = await ConnectAsync(deadline, stopping);
            var (welcome, refusal) = await GreetAsync(wire, link, lane, deadline);
            if (welcome is not null)
            {
                return (wire, null);
            }

            wire.Dispose();
            if (refusal!.Reason != RefusalReason.UnknownLink || attempt == MaxAttemptsPerLane)
            {
                return (null, refusal with { Message = $"the connection {lane} to {remote} was refused: {refusal.Message}" });
            }
        }
    }

    private async Task<(Welcome? Welcome, Refusal? Refusal)> GreetAsync(
        IWireConnection wire, ulong link, LaneId lane, CancellationToken deadline)
    {
        using var cutOff = deadline.UnsafeRegister(static state => ((IWireConnection)state!).Dispose(), wire);
        var hello = new Hello(
            _versions, _local, Cluster, link, _plan, lane, _context.Options.MaxMessageBytes, _context.Options.MaxGatheredBytes,
            _context.Options.Facts?.Own ?? default);
        try
        {
            await HandshakeStream.WriteAsync(wire, Handshake.Write(hello));
            return await HandshakeStream.ReadAnswerAsync(wire) switch
            {
                Welcome welcome when _versions.Common(new WireVersions(welcome.Version, welcome.Version)) is null =>
                    throw new GeoSerializationException($"{welcome.From} chose wire version {welcome.Version}, which was not offered."),
                Welcome welcome => (welcome, null),
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

    private async Task RefusedByRemoteAsync(Refusal refusal, CancellationToken stopping)
    {
        if (refusal.Reason == RefusalReason.AlreadyConnected)
        {
            await FollowAsync(refusal.By, stopping);
            return;
        }

        Refused(refusal, byRemote: true);
    }

    // The pair is connected by another dial: there is nothing to do until that link ends.
    private async Task FollowAsync(PeerId peer, CancellationToken stopping)
    {
        if (_links.TryGet(peer, out var link))
        {
            Up(peer);
            await link.Ended.WaitAsync(stopping);
            Down();
        }
    }

    private void Up(PeerId peer)
    {
        _context.Metrics.Dialled("up", Address);
        (_failedBefore, _lastRefusal) = (false, null);
        _tried.TrySetResult();
        lock (_lock)
        {
            if (!_up.TrySetResult(peer))
            {
                _up = NewUp();
                _up.SetResult(peer);
            }
        }
    }

    private void Down()
    {
        lock (_lock)
        {
            _up = NewUp();
        }
    }

    private void Failed(string reason)
    {
        _context.Metrics.Dialled("failed", Address);
        if (_failedBefore)
        {
            MessagingLog.DialFailedAgain(Logger, Address, reason);
        }
        else
        {
            MessagingLog.DialFailed(Logger, Address, reason);
        }

        _failedBefore = true;
        _tried.TrySetResult();
    }

    private void Refused(Refusal refusal, bool byRemote)
    {
        _context.Metrics.Dialled("refused", Address);
        _context.Metrics.Refused(refusal.Reason);

        // Dialling goes on, but the same refusal is told once.
        if (_lastRefusal != refusal.Reason)
        {
            _lastRefusal = refusal.Reason;
            _admission.Report(new LinkRefusal(refusal.Reason, refusal.Message, Address.ToString(), byRemote));
        }

        if (refusal.Reason is RefusalReason.WireVersion or RefusalReason.Malformed or RefusalReason.DuplicateClusterId
            or RefusalReason.WrongCluster or RefusalReason.Self or RefusalReason.Untrusted or RefusalReason.Unfit)
        {
            lock (_lock)
            {
                _up.TrySetException(new GeoConfigurationException($"{Address} cannot be joined: {refusal.Message}."));
                _ = _up.Task.Exception;
            }
        }

        _tried.TrySetResult();
    }
}
