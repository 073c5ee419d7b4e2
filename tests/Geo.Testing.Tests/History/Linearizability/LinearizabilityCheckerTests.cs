using Operation = Geo.Testing.HistoryOperation<(string Name, int Value), int>;

namespace Geo.Testing.Tests;

public class LinearizabilityCheckerTests
{
    // A register: a write gives 0 back, a read the value.
    private static readonly SequentialModel<int, (string Name, int Value), int> Register = new(
        0,
        (state, operation) => operation.Name == "write" ? (operation.Value, 0) : (state, state),
        operation => operation.Name == "write" ? OperationEffect.Overwrites : OperationEffect.Reads);

    private readonly History<(string Name, int Value), int> _history = new();

    [Fact]
    public void An_empty_history_is_linearizable() => Expect(HistoryOutcome.Holds);

    [Fact]
    public void A_read_after_a_write_must_see_it()
    {
        Write(1).Return(0);
        Read().Return(1);
        Expect(HistoryOutcome.Holds);

        Read().Return(0);
        Expect(HistoryOutcome.Violated);
    }

    [Fact]
    public void A_read_that_overlaps_a_write_may_see_the_old_or_the_new_value()
    {
        var write = Write(1);
        Read().Return(0);
        Read().Return(1);
        write.Return(0);
        Expect(HistoryOutcome.Holds);
    }

    [Fact]
    public void A_value_once_seen_is_not_unseen()
    {
        var write = Write(1);
        Read().Return(1);
        Read().Return(0);
        write.Return(0);
        Expect(HistoryOutcome.Violated);
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
        Expect(HistoryOutcome.Violated);
    }

    [Fact]
    public void A_write_that_timed_out_may_take_effect_long_after()
    {
        Write(1);
        Write(2).Return(0);
        Read().Return(2);
        Read().Return(2);
        Read().Return(1);
        Expect(HistoryOutcome.Holds);

        Read().Return(2);
        Expect(HistoryOutcome.Violated);
    }

    [Fact]
    public void A_write_that_timed_out_may_never_take_effect()
    {
        Write(1);
        Read().Return(0);
        Expect(HistoryOutcome.Holds);
    }

    [Fact]
    public void An_operation_that_certainly_failed_had_no_effect()
    {
        var failed = Write(1);
        failed.Fail();
        Read().Return(1);
        Expect(HistoryOutcome.Violated);
    }

    [Fact]
    public void Keys_are_independent_of_each_other_and_the_broken_one_is_named()
    {
        _history.Call("a", "p", ("write", 1)).Return(0);
        _history.Call("b", "p", ("read", 0)).Return(0);
        Expect(HistoryOutcome.Holds);

        _history.Call("b", "p", ("read", 0)).Return(1);
        Assert.Equal("b", Expect(HistoryOutcome.Violated).Key);
    }

    [Fact]
    public void A_violation_shows_what_does_not_fit()
    {
        Write(1).Return(0);
        Read().Return(7);
        Assert.Contains("-> 7", Expect(HistoryOutcome.Violated).Explanation, StringComparison.Ordinal);
    }

    [Fact]
    public void A_violation_is_drawn_with_the_order_found_and_what_does_not_fit()
    {
        Write(1).Return(0);
        Read().Return(7);
        var page = Expect(HistoryOutcome.Violated).ToHtml();
        Assert.Contains("<title>Violated: k</title>", page, StringComparison.Ordinal);
        Assert.Contains("1: k (write, 1)", page, StringComparison.Ordinal);
        Assert.Contains("<tr class=\"culprit\"><td>-</td><td>p</td>", page, StringComparison.Ordinal);
    }

    [Fact]
    public void A_search_that_is_too_long_is_undecided_instead_of_wrong()
    {
        var adder = new SequentialModel<int, (string Name, int Value), int>(
            0, (state, operation) => operation.Name == "add" ? (state + operation.Value, 0) : (state, state));
        for (var i = 0; i < 12; i++)
        {
            _history.Call("k", "p", ("add", 1 << i));
        }

        Read().Return(-1);
        Assert.Equal(HistoryOutcome.Undecided, LinearizabilityChecker.Check(_history, adder, limit: 50).Outcome);
        Assert.Equal(HistoryOutcome.Violated, LinearizabilityChecker.Check(_history, adder).Outcome);
    }

    [Fact]
    public void A_violation_of_one_key_is_told_though_another_is_undecided()
    {
        A_search_that_is_too_long_is_undecided_instead_of_wrong();
        _history.Call("b", "p", ("read", 0)).Return(1);
        var adder = new SequentialModel<int, (string Name, int Value), int>(
            0, (state, operation) => operation.Name == "add" ? (state + operation.Value, 0) : (state, state));
        Assert.Equal("b", LinearizabilityChecker.Check(_history, adder, limit: 50).Key);
    }

    private Operation Write(int value) => _history.Call("k", "p", ("write", value));

    private Operation Read() => _history.Call("k", "p", ("read", 0));

    private HistoryVerdict Expect(HistoryOutcome outcome)
    {
        var verdict = LinearizabilityChecker.Check(_history, Register);
        Assert.Equal(outcome, verdict.Outcome);
        return verdict;
    }
}
