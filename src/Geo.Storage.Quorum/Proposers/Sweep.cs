namespace Geo.Storage.Quorum;

/// <summary>
/// Goes through all keys: acceptors that were away get what was decided meanwhile (rule R14), and what was deleted is forgotten once all
/// acceptors have the tombstone (R12), as is what was only asked about. While one of them does not answer, nothing is forgotten.
/// </summary>
internal sealed class Sweep(Acceptors acceptors, QuorumStoreOptions options, Proposer proposer)
{
    // Keys that are worked on at the same time: enough that distance does not decide, few enough that calls do not wait.
    private const int AtOnce = 32;

    public async Task<QuorumSweepReport> RunAsync(CancellationToken cancellationToken)
    {
        var report = new QuorumSweepReport();
        string? after = null;
        do
        {
            var (list, answers) = await acceptors.ListAsync(new("", after, options.PageRows), AnswersAll, cancellationToken);
            if (!answers.HasMajority<PageReply>())
            {
                return report with { IsComplete = false };
            }

            var table = new PageTable([.. answers.Replies.OfType<PageReply>()]);
            var isUnanimous = answers.IsUnanimous<PageReply>() || SwitchedOff.Is(ProtocolRule.AllForget);
            var deleted = table.Keys.Where(k => table.IsAgreed(k, out var row) && row.Value is null or { IsLive: false }).ToList();

            // Lists of which none came after the other may be joined yet, and one that kept nothing of a forgotten key would not tell.
            var forgotten = isUnanimous && !list.IsForced ? await ForgetAsync(list, table, deleted, cancellationToken) : 0;
            var differing = table.Keys.Where(k => !table.IsAgreed(k, out _)).ToList();
            var repaired = await CountAsync(differing, k => proposer.RepeatEverywhereAsync(k, cancellationToken));
            report = new(
                report.Keys + table.Keys.Count(k => !OwnKeys.Include(k)), report.Repaired + repaired, report.Forgotten + forgotten,
                report.Remaining + deleted.Count - forgotten + differing.Count - repaired, report.IsComplete && isUnanimous);
            after = table.End;
        }
        while (after is not null);

        return report;
    }

    private static bool AnswersAll(Answers answers) => answers.IsComplete;

    private static async Task<int> CountAsync(List<string> keys, Func<string, Task<bool>> work)
    {
        var done = 0;
        foreach (var some in keys.Chunk(AtOnce))
        {
            done += (await Task.WhenAll(some.Select(work))).Count(isDone => isDone);
        }

        return done;
    }

    private async Task<int> ForgetAsync(
        StoreList list, PageTable table, List<string> deleted, CancellationToken cancellationToken)
    {
        if (deleted.Count == 0)
        {
            return 0;
        }

        // Whatever was promised of these keys anywhere is still promised when their rows are gone.
        var floor = deleted.SelectMany(table.Rows).Max(r => r.Promised);
        var raised = await acceptors.AskAsync(list, new RaiseFloorRequest(floor), AnswersAll, cancellationToken);
        if (!raised.IsUnanimous<DoneReply>() && !SwitchedOff.Is(ProtocolRule.AllForget))
        {
            return 0;
        }

        return await CountAsync(deleted, async key =>
        {
            var answers = await acceptors.AskAsync(
                list, new ForgetRequest(key, table.Rows(key)[0].Accepted), AnswersAll, cancellationToken);
            return answers.IsUnanimous<DoneReply>();
        });
    }
}
