using System.Security.Authentication;
using Polly;
using Polly.Retry;

namespace Geo.Messaging;

/// <summary>
/// Keeps one address dialled: whenever no link to the peer there is up it dials, with jittered exponential back-off between attempts,
/// for ever.
/// </summary>
internal sealed class LinkDialler
{
    private static long _lastLink;

    private readonly NodeContext _context;
    private readonly ConnectionOpener _opener;
    private readonly LinkTable _links;
    private readonly Admission _admission;
    private readonly LinkService _service;
    private readonly ResiliencePipeline<bool> _attempts;
    private readonly DialProgress _progress;
    private bool _madeBefore;

    public LinkDialler(
        NodeContext context, PeerIdentity local, WireVersions versions, IWireTransport transport, LinkTable links, Admission admission,
        LinkService service, PeerAddress address, ClusterId cluster)
    {
        (_context, _links, _admission, _service, Address, Cluster) = (context, links, admission, service, address, cluster);
        _progress = new DialProgress(context, admission, address);
        _opener = new ConnectionOpener(context, local, versions, transport, admission, address, cluster);
        _attempts = new ResiliencePipelineBuilder<bool> { TimeProvider = context.Time }
            .AddRetry(new RetryStrategyOptions<bool>
            {
                ShouldHandle = static args => ValueTask.FromResult(args.Outcome is { Exception: null, Result: false }),
                MaxRetryAttempts = int.MaxValue,
                DelayGenerator = args => ValueTask.FromResult<TimeSpan?>(BackOff.AfterFailures(
                    args.AttemptNumber + 1, context.Options.ReconnectDelay, context.Options.MaxReconnectDelay, context.Random)),
            })
            .Build();
    }

    public PeerAddress Address { get; }

    /// <summary>The cluster that must answer; none for any.</summary>
    public ClusterId Cluster { get; }

    /// <summary>Ends when the link is up; fails when a refusal shows that dialling on is in vain.</summary>
    public Task<PeerId> WhenUpAsync() => _progress.WhenUpAsync();

    /// <summary>Ends when an attempt has shown how things stand: the link is up, or was refused, or nobody was reached.</summary>
    public Task Tried => _progress.Tried;

    public async Task RunAsync(CancellationToken stopping)
    {
        try
        {
            while (true)
            {
                await _attempts.ExecuteAsync(static (self, token) => self.DialAsync(token), this, stopping);

                // Everybody whose link to a peer ended with it is here at the same moment: they must not all dial at once.
                var most = _context.Options.ReconnectDelay;
                await Task.Delay(BackOff.AfterConflicts(1, most, most, _context.Random), _context.Time, stopping);
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            _progress.Stopped();
        }
    }

    // True when a link was up for a good while and has ended; else the next attempt is to wait, longer each time.
    private async ValueTask<bool> DialAsync(CancellationToken stopping)
    {
        var started = _context.Time.GetTimestamp();
        try
        {
            // For all connections of the link together: they are opened at once.
            using var timeout = new CancellationTokenSource(_context.Options.HandshakeTimeout, _context.Time);
            using var deadline = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, stopping);
            using var wire = await _opener.ConnectAsync(deadline.Token, stopping);
            await UseAsync(wire, deadline.Token, stopping);
        }
        catch (IOException e)
        {
            _progress.Failed(e.Message);
            return false;
        }
        catch (AuthenticationException e)
        {
            _progress.Refused(new Refusal(RefusalReason.Untrusted, e.Message.TrimEnd('.')), byRemote: false);
            return false;
        }
        catch (GeoSerializationException e)
        {
            _progress.Refused(new Refusal(RefusalReason.Malformed, e.Message), byRemote: false);
            return false;
        }
#pragma warning disable CA1031 // Whatever went wrong this time, dialling never ends.
        catch (Exception e) when (!stopping.IsCancellationRequested)
#pragma warning restore CA1031
        {
            _progress.Broke(e);
            return false;
        }

        // A link that breaks as soon as it is up is dialled as carefully as one that never comes up.
        return _context.Time.GetElapsedTime(started) >= _context.Options.MaxReconnectDelay;
    }

    private async Task UseAsync(IWireConnection first, CancellationToken deadline, CancellationToken stopping)
    {
        var link = (ulong)Interlocked.Increment(ref _lastLink);
        var (welcome, refusal) = await _opener.GreetAsync(first, link, _opener.Plan.Lanes[0], deadline);
        if ((refusal ?? _admission.Judge(welcome!.From, welcome.Facts) ?? _links.Claim(welcome.From, Cluster)) is { } refused)
        {
            _progress.Refused(refused, byRemote: welcome is null);
            if (refused.Reason == RefusalReason.AlreadyConnected)
            {
                // The other side waits for this connection's end, and would take it for an attack in the end.
                first.Dispose();
                await FollowAsync(OtherLink(refused, welcome?.From), stopping);
            }

            return;
        }

        var remote = welcome!.From;
        List<IWireConnection> wires = [first];
        try
        {
            if (await _opener.OpenOthersAsync(wires, remote, link, deadline, stopping) is { } incomplete)
            {
                _progress.Refused(incomplete, byRemote: true);
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

    private async Task ServeAsync(List<IWireConnection> wires, ulong number, Welcome welcome)
    {
        var context = new LinkContext(
            _context, welcome.From,
            new LinkTerms(number, _opener.Plan, welcome.Version, welcome.MaxMessageBytes, welcome.MaxGatheredBytes),
            lane => _opener.OpenBulkAsync(welcome.From, number, lane));
        var link = new PeerLink(context, [.. wires.Zip(_opener.Plan.FirstLanes, (wire, lane) => new Lane(context, wire, lane))]);

        // The first connection's Ready goes last: it says that the link is complete.
        for (var index = wires.Count - 1; index >= 0; index--)
        {
            await HandshakeStream.WriteReadyAsync(wires[index]);
        }

        if (_links.Fill(link) is { } refusal)
        {
            _progress.Refused(refusal, byRemote: false);
            return;
        }

        _context.Metrics.Dialled("up", Address);
        _progress.Up(link.Remote.Peer);
        if (_madeBefore)
        {
            _context.Metrics.Reconnected(link.Remote, Address);
        }

        _madeBefore = true;
        await _service.RunAsync(link, Address.ToString());
        _progress.Down();
    }

    // Where no certain cluster was wanted the name is all that is known of who refused.
    private PeerLink? OtherLink(Refusal refusal, PeerIdentity? answered) =>
        answered is not null ? _links.Find(answered.Cluster, answered.Peer)
        : Cluster.IsNone ? _links.Find(refusal.By)
        : _links.Find(Cluster, refusal.By);

    // The pair is connected by another dial: there is nothing to do until that link ends.
    private async Task FollowAsync(PeerLink? link, CancellationToken stopping)
    {
        if (link is not null)
        {
            _progress.Up(link.Remote.Peer);
            await link.Ended.WaitAsync(stopping);
            _progress.Down();
        }
    }
}
