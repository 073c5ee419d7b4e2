using System.Security.Authentication;
using Polly;
using Polly.Retry;

namespace Geo.Messaging;

/// <summary>
/// Keeps one address dialled: whenever no link to the peer there is up it dials, with jittered exponential back-off between attempts,
/// for ever.
/// </summary>
internal sealed class LinkDialler(
    NodeContext context, ConnectionOpener opener, LinkTable links, Admission admission, PeerAddress address, ClusterId cluster)
{
    private static long _lastLink;

    private readonly ResiliencePipeline<bool> _attempts = new ResiliencePipelineBuilder<bool> { TimeProvider = context.Time }
        .AddRetry(new RetryStrategyOptions<bool>
        {
            ShouldHandle = static args => ValueTask.FromResult(args.Outcome is { Exception: null, Result: false }),
            MaxRetryAttempts = int.MaxValue,
            DelayGenerator = args => ValueTask.FromResult<TimeSpan?>(BackOff.AfterFailures(
                args.AttemptNumber + 1, context.Options.ReconnectDelay, context.Options.MaxReconnectDelay, context.Random)),
        })
        .Build();

    private bool _madeBefore;

    public DialProgress Progress { get; } = new(context, admission, address);

    public async Task RunAsync(CancellationToken stopping)
    {
        try
        {
            while (true)
            {
                await _attempts.ExecuteAsync(static (self, token) => self.DialAsync(token), this, stopping);

                // Everybody whose link to a peer ended with it is here at the same moment: they must not all dial at once.
                var most = context.Options.ReconnectDelay;
                await Task.Delay(BackOff.AfterConflicts(1, most, most, context.Random), context.Time, stopping);
            }
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            Progress.Stopped();
        }
    }

    // True when a link was up for a good while and has ended; else the next attempt is to wait, longer each time.
    private async ValueTask<bool> DialAsync(CancellationToken stopping)
    {
        var started = context.Time.GetTimestamp();
        try
        {
            // For all connections of the link together: they are opened at once.
            using var timeout = new CancellationTokenSource(context.Options.HandshakeTimeout, context.Time);
            using var deadline = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, stopping);
            using var wire = await opener.ConnectAsync(deadline.Token, stopping);
            await UseAsync(wire, deadline.Token, stopping);
        }
        catch (IOException e)
        {
            Progress.Failed(e.Message);
            return false;
        }
        catch (AuthenticationException e)
        {
            Progress.Refused(new Refusal(RefusalReason.Untrusted, e.Message.TrimEnd('.')), byRemote: false);
            return false;
        }
        catch (GeoSerializationException e)
        {
            Progress.Refused(new Refusal(RefusalReason.Malformed, e.Message), byRemote: false);
            return false;
        }
#pragma warning disable CA1031 // Whatever went wrong this time, dialling never ends.
        catch (Exception e) when (!stopping.IsCancellationRequested)
#pragma warning restore CA1031
        {
            Progress.Broke(e);
            return false;
        }

        // A link that breaks as soon as it is up is dialled as carefully as one that never comes up.
        return context.Time.GetElapsedTime(started) >= context.Options.MaxReconnectDelay;
    }

    private async Task UseAsync(IWireConnection first, CancellationToken deadline, CancellationToken stopping)
    {
        var link = (ulong)Interlocked.Increment(ref _lastLink);
        var (welcome, refusal) = await opener.GreetAsync(first, link, opener.Plan.Lanes[0], deadline);
        if ((refusal ?? admission.Judge(welcome!.From, welcome.Facts) ?? links.Claim(welcome.From, cluster)) is { } refused)
        {
            Progress.Refused(refused, byRemote: welcome is null);
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
            if (await opener.OpenOthersAsync(wires, remote, link, deadline, stopping) is { } incomplete)
            {
                Progress.Refused(incomplete, byRemote: true);
                return;
            }

            await ServeAsync(wires, link, welcome);
        }
        finally
        {
            links.Unclaim(remote);
            wires.ForEach(wire => wire.Dispose());
        }
    }

    private async Task ServeAsync(List<IWireConnection> wires, ulong number, Welcome welcome)
    {
        var shared = new LinkContext(
            context, welcome.From,
            new LinkTerms(number, opener.Plan, welcome.Version, welcome.MaxMessageBytes, welcome.MaxGatheredBytes),
            lane => opener.OpenBulkAsync(welcome.From, number, lane));
        var link = new PeerLink(shared, [.. wires.Zip(opener.Plan.FirstLanes, (wire, lane) => new Lane(shared, wire, lane))]);

        // The first connection's Ready goes last: it says that the link is complete.
        for (var index = wires.Count - 1; index >= 0; index--)
        {
            await HandshakeStream.WriteReadyAsync(wires[index]);
        }

        if (links.Fill(link) is { } refusal)
        {
            Progress.Refused(refusal, byRemote: false);
            return;
        }

        context.Metrics.Dialled("up", address);
        Progress.Up(link.Remote.Peer);
        if (_madeBefore)
        {
            context.Metrics.Reconnected(link.Remote, address);
        }

        _madeBefore = true;
        await links.RunAsync(link, address.ToString());
        Progress.Down();
    }

    // Where no certain cluster was wanted the name is all that is known of who refused.
    private PeerLink? OtherLink(Refusal refusal, PeerIdentity? answered) =>
        answered is not null ? links.Find(answered.Cluster, answered.Peer)
        : cluster.IsNone ? links.Find(refusal.By)
        : links.Find(cluster, refusal.By);

    // The pair is connected by another dial: there is nothing to do until that link ends.
    private async Task FollowAsync(PeerLink? link, CancellationToken stopping)
    {
        if (link is not null)
        {
            Progress.Up(link.Remote.Peer);
            await link.Ended.WaitAsync(stopping);
            Progress.Down();
        }
    }
}
