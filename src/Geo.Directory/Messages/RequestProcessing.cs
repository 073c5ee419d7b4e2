using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>Answers the requests and takes the notices of other clusters' directories (GEO section 3.2, request processing).</summary>
internal sealed class RequestProcessing(
    DirectoryTable table, LiveConfiguration configuration, Func<GrainKey, SingleInstanceMode, Task<bool>> take, ILocalInstances instances,
    Releases releases, Action<GrainKey> tellReleased, GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics,
    ILogger logger)
{
    // How often a row may change between reading and writing it before the requester is left without an answer.
    private const int MaxConflicts = 16;

    private int _held;
    private int _underWay;

    public async ValueTask<ReadOnlyMemory<byte>> HandleAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        var received = GsiMessage.Decode(message.Payload.Span);
        GrainTraces.Handles(received.Key.Type);
        if (received.Kind == GsiMessageKind.Released)
        {
            table.ForgetHint(received.Key, message.From);
            return ReadOnlyMemory<byte>.Empty;
        }

        configuration.Hear(received.Stamp);
        var stamp = configuration.Present.Stamp;
        if (stamp.ConflictWith(received.Stamp) is { } conflict)
        {
            return GsiMessage.EncodeReply(received.Round, new(GsiEntry.Invalid, GsiReplyKind.Fail, Reason: conflict), stamp);
        }

        if (received.Kind is GsiMessageKind.Take or GsiMessageKind.TakeOptimistic)
        {
            var mode = received.Kind == GsiMessageKind.Take ? SingleInstanceMode.Pessimistic : SingleInstanceMode.Optimistic;
            var owned = configuration.Present.Includes(message.From) && await take(received.Key, mode);
            return GsiMessage.EncodeReply(0, new(GsiEntry.Invalid, owned ? GsiReplyKind.Pass : GsiReplyKind.Fail), stamp);
        }

        var answer = await AnswerBoundedAsync(received, message.From, cancellationToken);
        if (answer.Entry.State == GsiState.Loser && received.Kind != GsiMessageKind.Find)
        {
            table.Running(answer.Entry.Round)?.LoseTo(message.From);
        }

        // Held twice, far clusters that hear each other would take each other for lost.
        var isHeld = IsLost(answer) && received.Kind == GsiMessageKind.Request;
        return GsiMessage.EncodeReply(
            received.Round, isHeld ? await HoldAsync(answer, received, message.From, cancellationToken) : answer, stamp);
    }

    /// <summary>The requester has lost a race that is not over yet, so that all it could do is ask again.</summary>
    private static bool IsLost(GsiAnswer answer) => answer is { Kind: GsiReplyKind.Fail, Node: null, Entry.State: GsiState.Requested };

    /// <summary>
    /// Lets a request that has lost wait until the round that won is decided, and answers it by what has become of that: who has the grain.
    /// Nobody waits in a circle, for only rounds with precedence are waited for, nor for a round that has lost itself.
    /// </summary>
    private async ValueTask<GsiAnswer> HoldAsync(
        GsiAnswer answer, GsiMessage request, ClusterId requester, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _held) > options.MaxHeldRequests)
        {
            Interlocked.Decrement(ref _held);
            return answer;
        }

        try
        {
            var (arrived, limit, round) = (time.GetTimestamp(), options.RequestTimeout / 2, answer.Entry.Round);
            while (IsLost(answer) && answer.Entry.Round == round && limit - time.GetElapsedTime(arrived) is { Ticks: > 0 } left)
            {
                // The round of another silo of this cluster shows only in the row.
                if (table.Running(round)?.Settled is { IsCompleted: false } settled)
                {
                    await settled.EndsWithinAsync(left, time, cancellationToken);
                }
                else
                {
                    await Task.Delay(options.PollInterval, time, cancellationToken);
                }

                answer = await AnswerBoundedAsync(request, requester, cancellationToken);
            }

            return answer;
        }
        finally
        {
            Interlocked.Decrement(ref _held);
        }
    }

    private async ValueTask<GsiAnswer> AnswerBoundedAsync(GsiMessage request, ClusterId requester, CancellationToken cancellationToken)
    {
        try
        {
            // One more than allowed is refused at once, so that its requester asks another silo.
            return Interlocked.Increment(ref _underWay) <= options.MaxRequests
                ? await AnswerAsync(request, requester, cancellationToken)
                : Overloaded();
        }
        finally
        {
            Interlocked.Decrement(ref _underWay);
        }
    }

    private GsiAnswer Overloaded()
    {
        metrics.Refused("requests");
        return new(
            GsiEntry.Invalid, GsiReplyKind.Busy, Reason: $"its silo answers {options.MaxRequests} requests already (MaxRequests)");
    }

    /// <summary>The reply, once the transition that it promises is stored; a missing one as long as that is not known.</summary>
    private async ValueTask<GsiAnswer> AnswerAsync(GsiMessage request, ClusterId requester, CancellationToken cancellationToken)
    {
        if (!configuration.Present.Includes(requester))
        {
            return GsiRules.Answer(GsiEntry.Invalid, table.Local, requester, configuration.Present, NodeState.Gone);
        }

        var key = request.Key;
        var rowKey = DirectoryRows.KeyOf(key);
        (long Tenancy, bool IsUsed)? asked = null;
        for (var conflicts = 0; conflicts < MaxConflicts; conflicts++)
        {
            var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
            if (read.Unknown is not null)
            {
                return read.IsDamaged ? Missing(read.Unknown) : Unanswered(key, read.Unknown);
            }

            var stored = read.Row.Entry;
            var (entry, _, node) = table.Regard(stored, request.HasInstance);
            if (GsiRules.MayBeUnused(entry, node, request.HasInstance) && asked != (entry.Epoch, true))
            {
                if (asked?.Tenancy == entry.Epoch)
                {
                    return new(
                        GsiEntry.Invalid, GsiReplyKind.Missing, Reason: $"its node '{entry.Node}' has no instance, and did not give it up");
                }

                // Who does not say so may have one, and may have none: the living instance goes on until it says so, or is fenced off.
                var use = await UsesAsync(key, entry, cancellationToken);
                if (use == TenancyUse.Undecided)
                {
                    return Missing($"its node '{entry.Node}' does not say whether it has an instance");
                }

                asked = (entry.Epoch, use != TenancyUse.Unused);
                if (use == TenancyUse.Unused)
                {
                    continue;
                }
            }

            var answer = GsiRules.Answer(entry, table.Local, requester, configuration.Present, node);
            if (answer.Entry == stored || request.Kind == GsiMessageKind.Find || SwitchedOff.Is(ProtocolRule.AnswerIsStored))
            {
                return answer;
            }

            var written = await table.Rows.ReplaceAsync(rowKey, read.Row, answer.Entry, cancellationToken);
            switch (written.Outcome)
            {
                case RowWriteOutcome.Applied:
                    if (answer.Entry.State == GsiState.Invalid)
                    {
                        table.NoteVoid(key, stored, $"Its silo is gone, and {requester} asked for it.");
                        if (stored.MayRunHere)
                        {
                            tellReleased(key);
                        }
                    }
                    else if (!ReferenceEquals(entry, stored))
                    {
                        table.NoteRecovered(key, stored);
                    }

                    return answer;
                case RowWriteOutcome.Unknown:
                    return Unanswered(key, written.Reason);
                default:
                    break;
            }
        }

        return Unanswered(key, "the row keeps changing");
    }

    /// <summary>The other half of the requester's time is for the way.</summary>
    private async ValueTask<TenancyUse> UsesAsync(GrainKey key, GsiEntry entry, CancellationToken cancellationToken) =>
        entry.Node == instances.Node
            ? await releases.UsesAsync(key, entry.Epoch, cancellationToken)
            : await instances.UsesAsync(entry.Node!, key, entry.Epoch, options.RequestTimeout / 2, cancellationToken);

    private GsiAnswer Unanswered(GrainKey key, string? reason)
    {
        logger.RowUnsettled(key, "settled to answer a request", reason);
        return Missing(reason);
    }

    private static GsiAnswer Missing(string? reason) =>
        new(GsiEntry.Invalid, GsiReplyKind.Missing, Reason: $"its row is not known there: {reason}");
}
