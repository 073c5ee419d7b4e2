namespace Geo.Directory;

/// <summary>What a directory says to others outside of rounds.</summary>
internal sealed class Notices(
    IClusterMessenger messenger, LiveConfiguration configuration, GlobalDirectoryOptions options, TimeProvider time)
{
    /// <summary>Tells the other clusters that a grain's row is gone.</summary>
    public void TellReleased(GrainKey key)
    {
        var others = configuration.Others;
        if (others.Count == 0)
        {
            return;
        }

        var notice = new GsiMessage(GsiMessageKind.Released, key, 0, configuration.Present.Stamp).Encode();
        var messageOptions = new MessageOptions(options.Channel, key.ToPartitionKey());
        foreach (var other in others)
        {
            // The notice only saves the others a detour: it may be lost.
            _ = messenger.TrySend(other, RoundRequests.Service, notice, messageOptions);
        }
    }

    /// <summary>Has another cluster acquire a grain; false when it did not, or does not say so.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="to">The cluster.</param>
    /// <param name="mode">What that cluster does about missing replies.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async ValueTask<bool> GiveAsync(GrainKey key, ClusterId to, SingleInstanceMode mode, CancellationToken cancellationToken)
    {
        var kind = mode == SingleInstanceMode.Optimistic ? GsiMessageKind.TakeOptimistic : GsiMessageKind.Take;
        var request = new GsiMessage(kind, key, 0, configuration.Present.Stamp).Encode();

        // The other cluster may have to wait until a lost silo of its own is fenced off before it acquires. It is asked again meanwhile,
        // less and less often, which joins what it does for the first request: a reply that is lost is not waited for that long.
        var (started, limit) = (time.GetTimestamp(), options.AcquireTimeout + options.TakeoverTimeout);
        for (var wait = options.RequestTimeout; ; wait *= 2)
        {
            var at = time.GetTimestamp();
            var messageOptions = new MessageOptions(options.Channel, key.ToPartitionKey(), wait, GrainClass: key.Type);
            var asked = messenger.RequestAsync(to, RoundRequests.Service, request, messageOptions, cancellationToken).AsTask();
            if (!await asked.EndsWithinAsync(wait * 1.25, time, cancellationToken))
            {
                cancellationToken.ThrowIfCancellationRequested();
            }
            else if (await asked is { Outcome: not ReplyOutcome.Unknown } reply)
            {
                return reply.Outcome == ReplyOutcome.Replied && GsiMessage.DecodeReply(to, reply.Payload.Span).Kind == GsiReplyKind.Pass;
            }

            if (!messenger.IsLinked(to) || time.GetElapsedTime(started) >= limit)
            {
                return false;
            }

            var early = wait - time.GetElapsedTime(at);
            if (early > TimeSpan.Zero)
            {
                await Task.Delay(early, time, cancellationToken);
            }
        }
    }
}
