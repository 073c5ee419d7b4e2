namespace Geo.Testing;

/// <summary>What must hold of the histories of a <see cref="ViewRun"/> once everything has healed.</summary>
internal static class ViewChecks
{
    private const Guarantees OfConfirmed =
        Guarantees.Causal | Guarantees.ConsistentPrefix | Guarantees.Convergence | Guarantees.ExactlyOnce;

    private const int Attempts = 5;

    /// <summary>Reads all grains in all clusters and has every checker look.</summary>
    public static async Task RunAsync(ViewRun run)
    {
        foreach (var type in run.Classes)
        {
            IReadOnlyList<int> log = [];
            foreach (var cluster in run.World.Clusters)
            {
                log = await ReadAsync(run, cluster, type);
            }

            if (run.IsKept(type))
            {
                Check(run, type, log);
            }
        }
    }

    private static void Check(ViewRun run, Type type, IReadOnlyList<int> log)
    {
        var key = NotesClasses.NameOf(type);
        run.Record.TakeOut(key, log);
        Expect(run, GuaranteeChecker.Check(run.Record.Sessions.Only(key), Guarantees.Session));
        Expect(run, GuaranteeChecker.Check(run.Record.Confirmed.Only(key), OfConfirmed));
        Expect(run, LinearizabilityChecker.Check(run.Record.Linear.Only(key), Model(log)));
    }

    private static void Expect(ViewRun run, HistoryVerdict verdict)
    {
        if (verdict.Outcome != HistoryOutcome.Holds)
        {
            run.World.Fail(verdict.Explanation);
        }
    }

    private static async Task<IReadOnlyList<int>> ReadAsync(ViewRun run, SimulatedCluster cluster, Type type)
    {
        var (key, call) = (NotesClasses.NameOf(type), new UpdateCall(UpdateCallKind.FinalRead));
        var grain = cluster.Client().Grains.GetGrain<INotesGrain>("1", type.FullName);
        for (var attempt = 1; attempt <= Attempts; attempt++)
        {
            var read = run.Record.Confirmed.Call(key, $"last of {cluster.Id}", call);
            int[] log = [];
            if ((await grain.TryAsync(async g => log = run.Record.Seen((await g.ReadLatest()).Value))).End == CallEnd.Answered)
            {
                read.Return(new SeenUpdates([.. log.Select(u => (long)u)]));
                return log;
            }

            read.Fail();
        }

        run.World.Fail($"{key} cannot be read in {cluster.Id} although everything has healed");
        return [];
    }

    /// <summary>The grain as one session after the other would see it, knowing the log at the end.</summary>
    private static SequentialModel<int, UpdateCall, LogPrefix> Model(IReadOnlyList<int> log)
    {
        var prefixes = new LogPrefix[log.Count + 1];
        for (var i = 0; i < log.Count; i++)
        {
            prefixes[i + 1] = prefixes[i].Then(log[i]);
        }

        return new SequentialModel<int, UpdateCall, LogPrefix>(
            0,
            (length, call) =>
                call.Kind != UpdateCallKind.Write ? (length, prefixes[length])
                : length < log.Count && log[length] == call.Update ? (length + 1, default)
                : null,
            call => call.Kind == UpdateCallKind.Write ? OperationEffect.Unknown : OperationEffect.Reads);
    }
}
