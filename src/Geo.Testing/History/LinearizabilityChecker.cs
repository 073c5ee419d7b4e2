namespace Geo.Testing;

/// <summary>
/// Decides whether a history is linearizable: whether each operation can be given a moment between its call and its return so that the
/// results are those of the model called at these moments. Operations that never returned may have any moment after their call, or none.
/// </summary>
/// <remarks>
/// The search is Wing and Gong's with Lowe's memory of configurations seen (Lowe, Testing for linearizability, 2017); keys are checked
/// apart, which is sound because linearizability is compositional (Horn and Kroening, Faster linearizability checking via
/// P-compositionality, 2015).
/// </remarks>
public static class LinearizabilityChecker
{
    /// <summary>How many configurations the search of one key visits before it gives up, unless told otherwise.</summary>
    public const int DefaultLimit = 2_000_000;

    /// <summary>Checks a history against a model, each key on its own.</summary>
    /// <param name="history">The history.</param>
    /// <param name="model">What each object does when called by one client after the other.</param>
    /// <param name="limit">How many configurations the search of one key may visit.</param>
    public static LinearizabilityVerdict Check<TState, TOperation, TResult>(
        History<TOperation, TResult> history, SequentialModel<TState, TOperation, TResult> model, int limit = DefaultLimit)
        where TState : notnull
    {
        ArgumentNullException.ThrowIfNull(history);
        ArgumentNullException.ThrowIfNull(model);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(limit);
        LinearizabilityVerdict? undecided = null;
        foreach (var operations in history.Operations.GroupBy(o => o.Key))
        {
            var search = new LinearizationSearch<TState, TOperation, TResult>([.. operations], model, limit);
            var outcome = search.Run();
            if (outcome == LinearizabilityOutcome.Violated)
            {
                return new LinearizabilityVerdict(outcome, operations.Key, search.Explain());
            }

            if (outcome == LinearizabilityOutcome.Undecided)
            {
                undecided ??= new LinearizabilityVerdict(
                    outcome, operations.Key, $"'{operations.Key}' is not decided after {limit} configurations.");
            }
        }

        return undecided ?? new LinearizabilityVerdict(LinearizabilityOutcome.Linearizable, null, "");
    }
}
