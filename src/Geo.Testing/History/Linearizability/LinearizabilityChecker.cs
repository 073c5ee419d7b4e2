namespace Geo.Testing;

/// <summary>
/// Decides whether a history is linearizable: whether each operation can be given a moment between its call and its return so that the
/// results are those of the model called at these moments. Operations that never returned may have any moment after their call, or none.
/// </summary>
/// <remarks>
/// The search is Wing and Gong's with Lowe's memory of configurations seen (Lowe, Testing for linearizability, 2017); keys are checked
/// apart, which is sound because linearizability is compositional (Horn and Kroening, Faster linearizability checking via
/// P-compositionality, 2015). A configuration takes as much memory as operations overlap and time-outs are open, not as the history is
/// long.
/// </remarks>
public static class LinearizabilityChecker
{
    /// <summary>How many configurations the search of one key visits before it gives up, unless told otherwise.</summary>
    public const int DefaultLimit = 2_000_000;

    /// <summary>Checks a history against a model, each key on its own.</summary>
    /// <param name="history">The history.</param>
    /// <param name="model">What each object does when called by one client after the other.</param>
    /// <param name="limit">How many configurations the search of one key may visit, some 100 bytes each besides the state.</param>
    /// <returns>
    /// Violated as soon as one key is, whatever could not be decided before; undecided when a search came to its limit.
    /// </returns>
    public static HistoryVerdict Check<TState, TOperation, TResult>(
        History<TOperation, TResult> history, SequentialModel<TState, TOperation, TResult> model, int limit = DefaultLimit)
        where TState : notnull
    {
        ArgumentNullException.ThrowIfNull(history);
        ArgumentNullException.ThrowIfNull(model);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(limit);
        HistoryVerdict? undecided = null;
        foreach (var operations in history.Operations.GroupBy(o => o.Key))
        {
            var search = new LinearizationSearch<TState, TOperation, TResult>([.. operations], model, limit);
            var outcome = search.Run();
            if (outcome == HistoryOutcome.Holds || (outcome == HistoryOutcome.Undecided && undecided is not null))
            {
                continue;
            }

            var verdict = new LongestOrder<TState, TOperation, TResult>([.. operations], search.Longest, model)
                .Explain(outcome, limit);
            if (outcome == HistoryOutcome.Violated)
            {
                return verdict;
            }

            undecided = verdict;
        }

        return undecided ?? HistoryVerdict.Held;
    }
}
