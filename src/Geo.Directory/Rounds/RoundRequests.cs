using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Sends the requests of a round to all other clusters in parallel, and each unanswered one a second time, to another silo (GEO section 3.2:
/// "even after waiting a bit, and resending the request").
/// </summary>
internal sealed class RoundRequests(IClusterMessenger messenger, GlobalDirectoryOptions options, TimeProvider time, ILogger logger)
{
    public const string Service = "geo.gsi";

    /// <summary>Asks the clusters; ends as soon as one of them says where the instance is, at the latest after two time-outs.</summary>
    public async Task<GsiReply[]> AskAsync(
        GrainKey key, long round, IReadOnlyList<ClusterId> clusters, CancellationToken cancellationToken)
    {
        if (clusters.Count == 0)
        {
            return [];
        }

        using var located = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var request = new GsiMessage(GsiMessageKind.Request, key, round).Encode();
        var messageOptions = new MessageOptions(options.Channel, key.ToPartitionKey(), options.RequestTimeout);
        var replies = new Task<GsiReply>[clusters.Count];
        for (var i = 0; i < replies.Length; i++)
        {
            replies[i] = AskAsync(clusters[i], round, request, messageOptions, located);
        }

        var all = await Task.WhenAll(replies);
        cancellationToken.ThrowIfCancellationRequested();
        return all;
    }

    private async Task<GsiReply> AskAsync(
        ClusterId cluster, long round, byte[] request, MessageOptions messageOptions, CancellationTokenSource located)
    {
        try
        {
            var sent = time.GetTimestamp();
            var reply = await SendAsync(cluster, round, request, messageOptions, located.Token);
            if (reply.Kind == GsiReplyKind.Missing)
            {
                var wait = options.ResendDelay - time.GetElapsedTime(sent);
                if (wait > TimeSpan.Zero)
                {
                    await Task.Delay(wait, time, located.Token);
                }

                reply = await SendAsync(cluster, round, request, messageOptions with { Attempt = 1 }, located.Token);
            }

            if (reply.Kind == GsiReplyKind.InstanceAt)
            {
                located.Cancel();
            }

            return reply;
        }
        catch (OperationCanceledException) when (located.IsCancellationRequested)
        {
            return new GsiReply(cluster, round, GsiReplyKind.Missing, Reason: "no longer needed");
        }
    }

    private async ValueTask<GsiReply> SendAsync(
        ClusterId cluster, long round, byte[] request, MessageOptions messageOptions, CancellationToken cancellationToken)
    {
        var reply = await messenger.RequestAsync(cluster, Service, request, messageOptions, cancellationToken);
        if (reply.Outcome != ReplyOutcome.Replied)
        {
            return new GsiReply(cluster, round, GsiReplyKind.Missing, Reason: reply.Reason);
        }

        try
        {
            return GsiMessage.DecodeReply(cluster, reply.Payload.Span);
        }
        catch (GeoSerializationException e)
        {
            logger.BadReply(cluster, e.Message);
            return new GsiReply(cluster, round, GsiReplyKind.Missing, Reason: e.Message);
        }
    }
}
