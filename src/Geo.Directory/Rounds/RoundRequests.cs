using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Sends the requests of a round to all other clusters in parallel, and each unanswered one a second time, to another silo (GEO section
/// 3.2: "even after waiting a bit, and resending the request").
/// </summary>
internal sealed class RoundRequests(
    IClusterMessenger messenger, ClusterReach reach, LiveConfiguration configuration, GlobalDirectoryOptions options, TimeProvider time,
    DirectoryMetrics metrics, ILogger logger)
{
    public const string Service = "geo.gsi";

    /// <summary>How long a request is waited for: longer than the messenger should take to end it, which is not relied on.</summary>
    public static TimeSpan Patience(GlobalDirectoryOptions options) => options.RequestTimeout * 1.25;

    /// <summary>
    /// Asks the clusters; ends as soon as one of them says where the instance is or the round has lost for good, at the latest after two
    /// time-outs.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="round">The round.</param>
    /// <param name="clusters">Whom to ask.</param>
    /// <param name="hasInstance">Whether this cluster has an instance in doubt.</param>
    /// <param name="cancellationToken">The directory's end.</param>
    public Task<GsiReply[]> AskAsync(
        GrainKey key, RunningRound round, IReadOnlyList<ClusterId> clusters, bool hasInstance, CancellationToken cancellationToken) =>
        AskAsync(Message(GsiMessageKind.Request, key, round) with { HasInstance = hasInstance }, round, clusters, cancellationToken);

    /// <summary>Asks the clusters once where a grain is, and has nothing change there.</summary>
    public Task<GsiReply[]> FindAsync(
        GrainKey key, RunningRound round, IReadOnlyList<ClusterId> clusters, CancellationToken cancellationToken) =>
        AskAsync(Message(GsiMessageKind.Find, key, round), round, clusters, cancellationToken);

    /// <summary>True when all of the clusters answer a question about a grain just now, and none has an instance of it.</summary>
    public async ValueTask<bool> DoAllAnswerAsync(
        GrainKey key, long round, IReadOnlyList<ClusterId> clusters, CancellationToken cancellationToken) =>
        Array.TrueForAll(
            await FindAsync(key, new RunningRound(round), clusters, cancellationToken), reply => reply.Kind == GsiReplyKind.Pass);

    private GsiMessage Message(GsiMessageKind kind, GrainKey key, RunningRound round) =>
        new(kind, key, round.Id, configuration.Present.Stamp);

    private async Task<GsiReply[]> AskAsync(
        GsiMessage request, RunningRound round, IReadOnlyList<ClusterId> clusters, CancellationToken cancellationToken)
    {
        if (clusters.Count == 0)
        {
            return [];
        }

        using var located = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var key = request.Key;
        var messageOptions = new MessageOptions(options.Channel, key.ToPartitionKey(), options.RequestTimeout, GrainClass: key.Type);
        var replies = new Task<GsiReply>[clusters.Count];
        for (var i = 0; i < replies.Length; i++)
        {
            replies[i] = AskAsync(clusters[i], round, request, messageOptions, located);
        }

        var asking = Task.WhenAll(replies);
        if (await Task.WhenAny(asking, round.Hopeless) != asking)
        {
            located.Cancel();
        }

        var all = await asking;
        cancellationToken.ThrowIfCancellationRequested();
        return all;
    }

    private async Task<GsiReply> AskAsync(
        ClusterId cluster, RunningRound round, GsiMessage request, MessageOptions messageOptions,
        CancellationTokenSource located)
    {
        try
        {
            var sent = time.GetTimestamp();
            var reply = await SendAsync(cluster, round.Id, request.Encode(), messageOptions, located.Token);
            if (reply.Kind is GsiReplyKind.Missing or GsiReplyKind.Busy && request.Kind == GsiMessageKind.Request)
            {
                // Whom there is no link to has had its delay, or part of it, before it was asked.
                var waited = time.GetElapsedTime(sent);
                var down = reach.DownFor(cluster) ?? TimeSpan.Zero;
                var wait = options.ResendDelay - (down > waited ? down : waited);
                if (wait > TimeSpan.Zero)
                {
                    await Task.Delay(wait, time, located.Token);
                }

                var again = (request with { Kind = GsiMessageKind.RequestAgain, Stamp = configuration.Present.Stamp }).Encode();
                var second = await SendAsync(cluster, round.Id, again, messageOptions with { Attempt = 1 }, located.Token);
                reply = reply.Kind == GsiReplyKind.Busy && second.Kind == GsiReplyKind.Missing ? reply : second;
            }

            if (reply.Kind == GsiReplyKind.InstanceAt)
            {
                located.Cancel();
            }

            round.ReplyFrom(cluster);
            return reply;
        }
        catch (OperationCanceledException) when (located.IsCancellationRequested)
        {
            return new GsiReply(cluster, round.Id, GsiReplyKind.Missing, Reason: "no longer needed");
        }
    }

    private async ValueTask<GsiReply> SendAsync(
        ClusterId cluster, long round, byte[] request, MessageOptions messageOptions, CancellationToken cancellationToken)
    {
        var asked = messenger.RequestAsync(cluster, Service, request, messageOptions, cancellationToken).AsTask();
        if (!await asked.EndsWithinAsync(Patience(options), time, cancellationToken))
        {
            cancellationToken.ThrowIfCancellationRequested();
            metrics.BoundHit("request");
            logger.RequestOverdue(cluster, Patience(options));
            return new GsiReply(cluster, round, GsiReplyKind.Missing, Reason: "the messenger does not end the request");
        }

        var reply = await asked;
        if (reply.Outcome != ReplyOutcome.Replied)
        {
            var kind = reply.Outcome == ReplyOutcome.Refused && reach.IsBusy(cluster) ? GsiReplyKind.Busy : GsiReplyKind.Missing;
            return new GsiReply(cluster, round, kind, Reason: reply.Reason);
        }

        try
        {
            return Checked(GsiMessage.DecodeReply(cluster, reply.Payload.Span));
        }
        catch (GeoSerializationException e)
        {
            logger.BadReply(cluster, e.Message);
            return new GsiReply(cluster, round, GsiReplyKind.Missing, Reason: e.Message);
        }
    }

    /// <summary>Who goes by a configuration that does not belong with this silo's passes nowhere.</summary>
    private GsiReply Checked(GsiReply reply)
    {
        configuration.Hear(reply.Stamp);
        return configuration.Present.Stamp.ConflictWith(reply.Stamp) is { } conflict
            ? reply with { Kind = GsiReplyKind.Fail, Node = null, Reason = conflict }
            : reply;
    }
}
