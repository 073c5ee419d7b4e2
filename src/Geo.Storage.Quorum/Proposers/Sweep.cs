namespace Geo.Storage.Quorum;

/// <summary>
/// Goes through all keys: acceptors that were away get what was decided meanwhile (rule R14), and what was deleted is forgotten once all
/// acceptors have the tombstone (R12), as is what was only asked about. While one of them does not answer, nothing is forgotten.
/// </summary>
internal sealed class Sweep(Acceptors acceptors, QuorumStoreOptions options, Proposer proposer)
{
    public async Task<QuorumSweepReport> RunAsync(CancellationToken cancellationToken)
    {
        var report = new QuorumSweepReport();
        string? after = null;
        do
        {
            var answers = await acceptors.AskAsync(new ListRequest("", after, options.PageRows), AnswersAll, cancellationToken);
            if (!answers.HasMajority<PageReply>())
            {
                return report with { IsComplete = false };
            }

            var table = new PageTable([.. answers.Replies.OfType<PageReply>()]);
            var isUnanimous = answers.IsUnanimous || SwitchedOff.Is(ProtocolRule.AllForget);
            var forgotten = isUnanimous ? await ForgetAsync(table, cancellationToken) : 0;
            var repaired = 0;
            foreach (var key in table.Keys.Where(k => !table.IsAgreed(k, out _)))
            {
                repaired += await proposer.RepeatEverywhereAsync(key, cancellationToken) ? 1 : 0;
            }

            report = new(
                report.Keys + table.Keys.Count, report.Repaired + repaired, report.Forgotten + forgotten, report.IsComplete && isUnanimous);
            after = table.End;
        }
        while (after is not null);

        return report;
    }

    private static bool AnswersAll(Answers answers) => answers.IsComplete;

    private async Task<int> ForgetAsync(PageTable table, CancellationToken cancellationToken)
    {
        var deleted = table.Keys.Where(k => table.IsAgreed(k, out var row) && row.Value is null or { IsLive: false }).ToList();
        if (deleted.Count == 0)
        {
            return 0;
        }

        // Whatever was promised of these keys anywhere is still promised when their rows are gone.
        var floor = deleted.SelectMany(table.Rows).Max(r => r.Promised);
        var raised = await acceptors.AskAsync(new RaiseFloorRequest(floor), AnswersAll, cancellationToken);
        if (!raised.IsUnanimous && !SwitchedOff.Is(ProtocolRule.AllForget))
        {
            return 0;
        }

        foreach (var key in deleted)
        {
            await acceptors.AskAsync(new ForgetRequest(key, table.Rows(key)[0].Accepted), AnswersAll, cancellationToken);
        }

        return deleted.Count;
    }
}
