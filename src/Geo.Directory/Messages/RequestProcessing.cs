using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>Answers the requests and takes the notices of other clusters' directories (GEO section 3.2, request processing).</summary>
internal sealed class RequestProcessing(DirectoryTable table, MultiClusterConfiguration configuration, ILogger logger)
{
    // How often a row may change between reading and writing it before the requester is left without an answer.
    private const int MaxConflicts = 16;

    public async ValueTask<ReadOnlyMemory<byte>> HandleAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        var received = GsiMessage.Decode(message.Payload.Span);
        if (received.Kind == GsiMessageKind.Released)
        {
            await table.ForgetCachedAsync(received.Key, message.From, cancellationToken);
            return ReadOnlyMemory<byte>.Empty;
        }

        return GsiMessage.EncodeReply(received.Round, await AnswerAsync(received.Key, message.From, cancellationToken));
    }

    /// <summary>The reply, once the transition that it promises is stored; a missing one as long as that is not known.</summary>
    private async ValueTask<GsiAnswer> AnswerAsync(GrainKey key, ClusterId requester, CancellationToken cancellationToken)
    {
        if (!configuration.Includes(requester))
        {
            return GsiRules.Answer(GsiEntry.Invalid, table.Local, requester, configuration);
        }

        var rowKey = DirectoryRows.KeyOf(key);
        for (var conflicts = 0; conflicts < MaxConflicts; conflicts++)
        {
            var read = await table.Rows.ReadAsync(rowKey, cancellationToken);
            if (read.Unknown is not null)
            {
                return Unanswered(key, read.Unknown);
            }

            var stored = read.Row.Entry;
            var entry = table.Recover(stored, node: null);
            var answer = GsiRules.Answer(entry, table.Local, requester, configuration);
            if (answer.Entry == stored)
            {
                return answer;
            }

            var written = await table.Rows.ReplaceAsync(rowKey, read.Row, answer.Entry, cancellationToken);
            switch (written.Outcome)
            {
                case RowWriteOutcome.Applied:
                    if (!ReferenceEquals(entry, stored))
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

    private GsiAnswer Unanswered(GrainKey key, string? reason)
    {
        logger.RowUnsettled(key, "settled to answer a request", reason);
        return new(GsiEntry.Invalid, GsiReplyKind.Missing, Reason: $"its row is not known there ({reason})");
    }
}
