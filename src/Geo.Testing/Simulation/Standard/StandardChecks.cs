namespace Geo.Testing;

/// <summary>What must hold of the logs once everything has healed and is read.</summary>
internal static class StandardChecks
{
    /// <summary>
    /// No confirmed update is lost or there twice, every version shown is a prefix of the final log, and the history is linearizable.
    /// </summary>
    public static void Check(StandardRun run, IReadOnlyDictionary<StandardGrain, IReadOnlyList<int>> logs)
    {
        var kept = logs.Where(log => !run.World.Memories.HasLost(log.Key.ToString())).ToDictionary();
        run.World.Counts.Count("volatile grains of which no memory was left", logs.Count - kept.Count);
        var observations = run.Observations.ToLookup(o => o.Grain, StringComparer.Ordinal);
        foreach (var (grain, log) in logs)
        {
            if (log.GroupBy(update => update).FirstOrDefault(g => g.Count() > 1) is { } twice)
            {
                run.World.Fail($"{grain} has update {twice.Key} {twice.Count()} times");
            }

            var prefixes = Prefixes(log);
            foreach (var (_, observer, seen) in kept.ContainsKey(grain) ? observations[grain.ToString()] : [])
            {
                if (seen.Count > log.Count || prefixes[seen.Count] != seen)
                {
                    run.World.Fail(
                        $"{observer} showed version {seen.Count}, which is no prefix of the {log.Count} updates of {grain} at the end");
                }
            }
        }

        foreach (var operation in run.History.Operations.Where(
            o => o.ReturnedAt is not null && kept.ContainsKey(o.Operation.Grain)))
        {
            foreach (var update in operation.Operation.Updates.Except(logs[operation.Operation.Grain]))
            {
                run.World.Fail($"update {update} of {operation.Operation.Grain} was confirmed to {operation.Process} and is lost");
            }
        }

        var verdicts = kept.Select(log => LinearizabilityChecker.Check(run.History.Only(log.Key.ToString()), Model(log.Value)));
        if (verdicts.FirstOrDefault(v => v.Outcome != HistoryOutcome.Holds) is { } verdict)
        {
            run.World.Fail(verdict.Explanation);
        }
    }

    /// <summary>
    /// The grain as one client after the other would see it, knowing the log at the end: an append happens where the log says so, which
    /// leaves the search next to nothing to try.
    /// </summary>
    private static SequentialModel<int, StandardCall, LogPrefix> Model(IReadOnlyList<int> log)
    {
        var prefixes = Prefixes(log);
        return new SequentialModel<int, StandardCall, LogPrefix>(
            0,
            (length, call) =>
                call.Updates.Count == 0 ? (length, prefixes[length])
                : log.Skip(length).Take(call.Updates.Count).SequenceEqual(call.Updates) ? (length + call.Updates.Count, default)
                : null,
            call => call.Updates.Count == 0 ? OperationEffect.Reads : OperationEffect.Unknown);
    }

    private static LogPrefix[] Prefixes(IReadOnlyList<int> log)
    {
        var prefixes = new LogPrefix[log.Count + 1];
        for (var i = 0; i < log.Count; i++)
        {
            prefixes[i + 1] = prefixes[i].Then(log[i]);
        }

        return prefixes;
    }
}
