namespace Geo.Testing.Tests;

public class GuaranteeCheckerTests
{
    private const Guarantees All = Guarantees.Session | Guarantees.Causal | Guarantees.ConsistentPrefix | Guarantees.Convergence
        | Guarantees.ExactlyOnce;

    private const Guarantees WritesFollowReadsInOneSequence =
        Guarantees.WritesFollowReads | Guarantees.Causal | Guarantees.ConsistentPrefix;

    /// <summary>Each line is a history, and all guarantees that it breaks: it keeps the others.</summary>
    [Theory]
    [InlineData("a x w1, a x r1, b x r, b x r1, b x w2, a x f1+2, b x f1+2", Guarantees.None)]
    [InlineData("a x w1, a x r, b x f1", Guarantees.ReadYourWrites | Guarantees.Causal)]
    [InlineData("a x w1, b x r, c x f1", Guarantees.None)]
    [InlineData("a x w1, a y r, c x f1, c y f", Guarantees.None)]
    [InlineData("a x w1, b x r1, b x r, c x f1", Guarantees.MonotonicReads | Guarantees.Causal)]
    [InlineData("a x w1, b x r1, c x r, c x f1", Guarantees.None)]
    [InlineData("a x w1, a x w2, b x r2, c x f1+2", Guarantees.MonotonicWrites | Guarantees.Causal | Guarantees.ConsistentPrefix)]
    [InlineData("a x w1, a x w2, c x f2+1", Guarantees.MonotonicWrites | Guarantees.Causal)]
    [InlineData("a x w1, b x w2, c x f2+1", Guarantees.None)]
    [InlineData("a x w1, b x r1, b x w2, c x f2+1", WritesFollowReadsInOneSequence)]
    [InlineData("a x w1, b x r1, b x w2, c x r2, c x f1+2", WritesFollowReadsInOneSequence)]
    [InlineData("a x w1, a y w2, b y r2, b x r, c x f1, c y f2", Guarantees.Causal)]
    [InlineData("a x w1, a y w2, b y r2, b x r1, c x f1, c y f2", Guarantees.None)]
    [InlineData("a x w1, b x r1, b y w2, c y r2, c z w3, d z r3, d x r, e x f1, e y f2, e z f3", Guarantees.Causal)]
    [InlineData("a x w1, b y w2, c y r2, c x r, e x f1, e y f2", Guarantees.None)]
    [InlineData("a x w1, b x w2, c x r1+2, d x r2+1, e x f1+2", Guarantees.ConsistentPrefix)]
    [InlineData("a x w1, b x w2, c x f1+2, d x f2+1", Guarantees.ConsistentPrefix | Guarantees.Convergence)]
    [InlineData("a x w1, b x w2, c x f1+2, d x f1", Guarantees.Convergence | Guarantees.ExactlyOnce)]
    [InlineData("a x w1, c x f", Guarantees.ExactlyOnce)]
    [InlineData("a x w1, c x f1+1", Guarantees.ExactlyOnce)]
    [InlineData("a x w1, b x r1+1, c x f1", Guarantees.ExactlyOnce)]
    [InlineData("a x w1, c x f1+9", Guarantees.ExactlyOnce | Guarantees.Causal)]
    [InlineData("a x w1, a y w2, c x f1+2, c y f2", Guarantees.ExactlyOnce | Guarantees.Causal)]
    [InlineData("b x r1, a x w1, c x f1", Guarantees.Causal)]
    [InlineData("a x w1!, c x f1", Guarantees.ExactlyOnce | Guarantees.Causal)]
    [InlineData("a x w1!, c x f", Guarantees.None)]
    [InlineData("a x w1?, a x r, a x w2, b x r2, c x f2+1", Guarantees.None)]
    [InlineData("a x w1?, a x r, c x f", Guarantees.None)]
    [InlineData("a x w1?, b x r1, b x w2, c x r2, d x f1+2", WritesFollowReadsInOneSequence)]
    [InlineData("a x w1, a x w2?, b x f2+1", Guarantees.MonotonicWrites | Guarantees.Causal)]
    [InlineData("a x w1?, a x r1, a x r, c x f1", Guarantees.MonotonicReads | Guarantees.Causal)]
    public void A_history_breaks_these_guarantees_and_no_other(string history, Guarantees broken)
    {
        var recorded = Record(history);
        foreach (var guarantee in Enum.GetValues<Guarantees>().Where(g => int.PopCount((int)g) == 1))
        {
            var verdict = GuaranteeChecker.Check(recorded, guarantee);
            Assert.True(
                verdict.Outcome == (broken.HasFlag(guarantee) ? HistoryOutcome.Violated : HistoryOutcome.Holds),
                $"{guarantee}: {verdict.Outcome} {verdict.Explanation}");
        }

        var outcome = broken == Guarantees.None ? HistoryOutcome.Holds : HistoryOutcome.Violated;
        Assert.Equal(outcome, GuaranteeChecker.Check(recorded, All).Outcome);
    }

    [Fact]
    public void A_violation_names_the_guarantee_the_object_and_the_calls_that_show_it()
    {
        var verdict = GuaranteeChecker.Check(Record("a x w1, b x r1, b y w7, b x r, c x f1, c y f7"), All);
        Assert.Equal("x", verdict.Key);
        Assert.StartsWith("MonotonicReads of 'x' is broken: b does not see update 1", verdict.Explanation, StringComparison.Ordinal);
        Assert.Contains("b x read -> [1]", verdict.Explanation, StringComparison.Ordinal);
        Assert.Contains("b x read -> []", verdict.Explanation, StringComparison.Ordinal);
        Assert.Contains("y write 7", verdict.ToHtml(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Guarantees.Convergence)]
    [InlineData(Guarantees.ExactlyOnce)]
    public void Without_a_final_read_the_end_is_undecided(Guarantees guarantee)
    {
        var verdict = GuaranteeChecker.Check(Record("a x w1, a y w2, b x f1"), guarantee);
        Assert.Equal((HistoryOutcome.Undecided, "y"), (verdict.Outcome, verdict.Key));
    }

    [Fact]
    public void A_session_that_calls_twice_at_one_time_is_refused()
    {
        var history = Record("a x w1");
        var first = history.Call("x", "a", new UpdateCall(UpdateCallKind.Write, 2));
        history.Call("x", "a", new UpdateCall(UpdateCallKind.Write, 3)).Return(SeenUpdates.None);
        first.Return(SeenUpdates.None);
        Assert.Throws<ArgumentException>(() => GuaranteeChecker.Check(history, All));
    }

    [Fact]
    public void An_update_that_two_calls_write_is_refused() =>
        Assert.Throws<ArgumentException>(() => GuaranteeChecker.Check(Record("a x w1, b x w1"), All));

    [Fact]
    public void Sixty_thousand_calls_are_checked_for_everything_within_some_megabytes()
    {
        var history = new History<UpdateCall, SeenUpdates>();
        var random = new Random(1);
        var logs = Enumerable.Range(0, 50).Select(_ => new List<long>()).ToArray();
        for (var i = 0; i < 60_000; i++)
        {
            var (key, process) = (random.Next(logs.Length), $"s{random.Next(10)}");
            if (random.Next(2) == 0)
            {
                logs[key].Add(i);
                history.Call($"{key}", process, new UpdateCall(UpdateCallKind.Write, i)).Return(SeenUpdates.None);
            }
            else
            {
                history.Call($"{key}", process, new UpdateCall(UpdateCallKind.Read)).Return(new([.. logs[key]]));
            }
        }

        foreach (var (key, log) in logs.Index())
        {
            history.Call($"{key}", "end", new UpdateCall(UpdateCallKind.FinalRead)).Return(new(log));
        }

        var before = GC.GetAllocatedBytesForCurrentThread();
        var verdict = GuaranteeChecker.Check(history, All);
        var allocated = (GC.GetAllocatedBytesForCurrentThread() - before) / (1024 * 1024);
        Assert.True(verdict.Outcome == HistoryOutcome.Holds, verdict.Explanation);
        Assert.True(allocated < 250, $"{allocated} MiB");
    }

    /// <summary>
    /// One call after the other: session, object, and <c>w</c> with an update (<c>?</c> of unknown outcome, <c>!</c> failed), <c>r</c> or
    /// <c>f</c>, a read and a final one, with what was seen.
    /// </summary>
    private static History<UpdateCall, SeenUpdates> Record(string calls)
    {
        var history = new History<UpdateCall, SeenUpdates>();
        foreach (var call in calls.Split(", "))
        {
            var (process, key, asked) = (call.Split(' ')[0], call.Split(' ')[1], call.Split(' ')[2]);
            var updates = asked[1..].Split(['+', '?', '!'], StringSplitOptions.RemoveEmptyEntries).Select(long.Parse).ToArray();
            var kind = asked[0] switch { 'w' => UpdateCallKind.Write, 'r' => UpdateCallKind.Read, _ => UpdateCallKind.FinalRead };
            var operation = history.Call(key, process, new UpdateCall(kind, kind == UpdateCallKind.Write ? updates[0] : 0));
            switch (asked[^1])
            {
                case '?':
                    break;
                case '!':
                    operation.Fail();
                    break;
                default:
                    operation.Return(kind == UpdateCallKind.Write ? SeenUpdates.None : new SeenUpdates(updates));
                    break;
            }
        }

        return history;
    }
}
