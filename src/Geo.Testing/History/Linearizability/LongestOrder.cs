namespace Geo.Testing;

/// <summary>The longest order that a search found, for people: what it explains, and what does not fit behind it.</summary>
/// <param name="operations">All operations of the object, in the order of their calls.</param>
/// <param name="order">The order found.</param>
/// <param name="model">What the object does.</param>
internal sealed class LongestOrder<TState, TOperation, TResult>(
    IReadOnlyList<HistoryOperation<TOperation, TResult>> operations,
    IReadOnlyList<HistoryOperation<TOperation, TResult>> order,
    SequentialModel<TState, TOperation, TResult> model)
    where TState : notnull
{
    private const int ListedAtMost = 8;
    private const int DrawnAtMost = 60;

    public HistoryVerdict Explain(HistoryOutcome outcome, int limit)
    {
        var placed = order.ToHashSet();
        var states = States();
        var key = operations[0].Key;
        var rest = operations.Where(o => !placed.Contains(o)).OrderBy(o => o.ReturnedAt ?? long.MaxValue).ToArray();
        var blocked = rest[0];
        var next = rest.Where(o => o.CalledAt <= (blocked.ReturnedAt ?? long.MaxValue)).Take(DrawnAtMost).ToArray();
        var (found, fit) = outcome == HistoryOutcome.Violated
            ? ("is not linearizable", "fit")
            : ($"is not decided after {limit} configurations", "fit, as far as was tried,");
        var text = $"'{key}' {found}. The longest order found explains {order.Count} of {operations.Count} operations and ends in state "
            + $"{(order.Count > 0 ? states[^1] : model.Initial)}; behind it {fit} none of:"
            + string.Concat(next.Take(ListedAtMost).Select(o => $"{Environment.NewLine}  {o}"));
        var drawn = Enumerable.Range(0, order.Count).Skip(order.Count - DrawnAtMost)
            .Select(i => TimelineBar.Of(order[i]) with { Place = i + 1, State = states[i].ToString() })
            .Concat(next.Select(o => TimelineBar.Of(o) with { IsCulprit = o.ReturnedAt is not null }));
        return new HistoryVerdict(outcome, key, text)
        {
            Timeline = new(
                [.. drawn],
                $"{order.Count} of {operations.Count} operations have a place in the order; drawn are its end and what can be next."),
        };
    }

    private List<TState> States()
    {
        var states = new List<TState>();
        foreach (var operation in order)
        {
            var before = states.Count > 0 ? states[^1] : model.Initial;
            states.Add(model.Step(before, operation.Operation) is { } step ? step.Next : before);
        }

        return states;
    }
}
