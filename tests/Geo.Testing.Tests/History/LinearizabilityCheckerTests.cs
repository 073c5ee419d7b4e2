using Operation = Geo.Testing.HistoryOperation<(string Name, int Value), int>;

namespace Geo.Testing.Tests;

public class LinearizabilityCheckerTests
{
    // A register: a write gives 0 back, a read the value.
    private static readonly SequentialModel<int, (string Name, int Value), int> Register =
        new(0, (state, operation) => operation.Name == "write" ? (operation.Value, 0) : (state, state));

    private readonly History<(string Name, int Value), int> _history = new();

    [Fact]
    public void An_empty_history_is_linearizable() => Expect(LinearizabilityOutcome.Linearizable);

    [Fact]
    public void A_read_after_a_write_must_see_it()
    {
        Write(1).Return(0);
        Read().Return(1);
        Expect(LinearizabilityOutcome.Linearizable);

        Read().Return(0);
        Expect(LinearizabilityOutcome.Violated);
    }

    [Fact]
    public void A_read_that_overlaps_a_write_may_see_the_old_or_the_new_value()
    {
        var write = Write(1);
        Read().Return(0);
        Read().Return(1);
        write.Return(0);
        Expect(LinearizabilityOutcome.Linearizable);
    }

    [Fact]
    public void A_value_once_seen_is_not_unseen()
    {
        var write = Write(1);
        Read().Return(1);
        Read().Return(0);
        write.Return(0);
        Expect(LinearizabilityOutcome.Violated);
    }

    [Fact]
    public void Two_readers_must_agree_on_the_order_of_two_writes()
    {
        var first = Write(1);
        var second = Write(2);
        Read().Return(1);
        Read().Return(2);
        Read().Return(1);
        first.Return(0);
        second.Return(0);
        Expect(LinearizabilityOutcome.Violated);
    }

    [Fact]
    public void A_write_that_timed_out_may_take_effect_long_after()
    {
        Write(1);
        Write(2).Return(0);
        Read().Return(2);
        Read().Return(2);
        Read().Return(1);
        Expect(LinearizabilityOutcome.Linearizable);

        Read().Return(2);
        Expect(LinearizabilityOutcome.Violated);
    }

    [Fact]
    public void A_write_that_timed_out_may_never_take_effect()
    {
        Write(1);
        Read().Return(0);
        Expect(LinearizabilityOutcome.Linearizable);
    }

    [Fact]
    public void An_operation_that_certainly_failed_had_no_effect()
    {
        var failed = Write(1);
        failed.Fail();
        Read().Return(1);
        Expect(LinearizabilityOutcome.Violated);
    }

    [Fact]
    public void Keys_are_independent_of_each_other_and_the_broken_one_is_named()
    {
        _history.Call("a", "p", ("write", 1)).Return(0);
        _history.Call("b", "p", ("read", 0)).Return(0);
        Expect(LinearizabilityOutcome.Linearizable);

        _history.Call("b", "p", ("read", 0)).Return(1);
        Assert.Equal("b", Expect(LinearizabilityOutcome.Violated).Key);
    }

    [Fact]
    public void A_violation_shows_what_does_not_fit()
    {
        Write(1).Return(0);
        Read().Return(7);
        Assert.Contains("-> 7", Expect(LinearizabilityOutcome.Violated).Explanation, StringComparison.Ordinal);
    }

    [Fact]
    public void A_search_that_is_too_long_is_undecided_instead_of_wrong()
    {
        var open = Enumerable.Range(1, 12).Select(Write).ToArray();
        Read().Return(99);
        Assert.Equal(LinearizabilityOutcome.Undecided, LinearizabilityChecker.Check(_history, Register, limit: 50).Outcome);
        Assert.Equal(12, open.Length);
    }

    [Fact]
    public void The_checker_agrees_with_trying_every_order()
    {
        var verdicts = new int[2];
        for (var seed = 0; seed < 3000; seed++)
        {
            var history = RandomHistory(new Random(seed));
            var expected = EveryOrder(history.Operations, 0, new bool[history.Operations.Count]);
            var found = LinearizabilityChecker.Check(history, Register).Outcome == LinearizabilityOutcome.Linearizable;
            Assert.True(expected == found, $"seed {seed}: {string.Join(", ", history.Operations)}");
            verdicts[found ? 1 : 0]++;
        }

        Assert.All(verdicts, count => Assert.True(count > 300, $"only {count} histories of one kind"));
    }

    private static History<(string Name, int Value), int> RandomHistory(Random random)
    {
        var history = new History<(string Name, int Value), int>();
        var open = new List<Operation>();
        for (var i = 0; i < 12; i++)
        {
            if (open.Count < 3 && random.Next(2) == 0)
            {
                open.Add(history.Call("k", "p", random.Next(2) == 0 ? ("write", random.Next(1, 3)) : ("read", 0)));
            }
            else if (open.Count > 0 && random.Next(6) > 0)
            {
                var ended = open[random.Next(open.Count)];
                open.Remove(ended);
                ended.Return(ended.Operation.Name == "read" ? random.Next(3) : 0);
            }
        }

        return history;
    }

    private static bool EveryOrder(IReadOnlyList<Operation> operations, int state, bool[] placed)
    {
        if (!operations.Where((o, i) => !placed[i] && o.ReturnedAt is not null).Any())
        {
            return true;
        }

        var earliestEnd = operations.Where((o, i) => !placed[i]).Min(o => o.ReturnedAt ?? long.MaxValue);
        for (var i = 0; i < operations.Count; i++)
        {
            var operation = operations[i];
            if (placed[i] || operation.CalledAt > earliestEnd)
            {
                continue;
            }

            var (next, result) = Register.Step(state, operation.Operation)!.Value;
            if (operation.ReturnedAt is not null && operation.Result != result)
            {
                continue;
            }

            placed[i] = true;
            if (EveryOrder(operations, next, placed))
            {
                return true;
            }

            placed[i] = false;
        }

        return false;
    }

    private Operation Write(int value) => _history.Call("k", "p", ("write", value));

    private Operation Read() => _history.Call("k", "p", ("read", 0));

    private LinearizabilityVerdict Expect(LinearizabilityOutcome outcome)
    {
        var verdict = LinearizabilityChecker.Check(_history, Register);
        Assert.Equal(outcome, verdict.Outcome);
        return verdict;
    }
}
