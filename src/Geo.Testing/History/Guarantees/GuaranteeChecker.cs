namespace Geo.Testing;

/// <summary>
/// Checks histories of updates and reads for guarantees short of linearizability (Terry et al., Session guarantees for weakly consistent
/// replicated data, 1994; Burckhardt, Principles of eventual consistency, 2014). Each process of the history is a session, which calls one
/// after the other. Updates of unknown outcome bind nobody who has not seen them. The time grows with all that was seen, and faster where
/// thousands of sessions have updates of unknown outcome; the memory with the calls times the sessions.
/// </summary>
public static class GuaranteeChecker
{
    /// <summary>Checks a history for one or more guarantees.</summary>
    /// <param name="history">What was written and seen.</param>
    /// <param name="guarantees">What must hold.</param>
    /// <returns>
    /// The first guarantee that is broken; undecided where none is, but <see cref="Guarantees.Convergence"/> or
    /// <see cref="Guarantees.ExactlyOnce"/> is asked for and an object has no final read.
    /// </returns>
    /// <exception cref="ArgumentException">A session has two calls at one time, or two calls write one update.</exception>
    public static HistoryVerdict Check(History<UpdateCall, SeenUpdates> history, Guarantees guarantees)
    {
        ArgumentNullException.ThrowIfNull(history);
        var sessions = new UpdateHistory(history.Operations);
        var broken = Enum.GetValues<Guarantees>().Where(g => int.PopCount((int)g) == 1 && guarantees.HasFlag(g))
            .Select(g => (Guarantee: g, Found: Find(sessions, g))).FirstOrDefault(b => b.Found is not null);
        if (broken.Found is { } found)
        {
            var key = found.Operations[0].Key;
            return new HistoryVerdict(
                HistoryOutcome.Violated,
                key,
                $"{broken.Guarantee} of '{key}' is broken: {found.Text}"
                    + string.Concat(found.Operations.Select(o => $"{Environment.NewLine}  {o}")))
            {
                Timeline = found.Draw(sessions.Operations),
            };
        }

        return (guarantees & (Guarantees.Convergence | Guarantees.ExactlyOnce)) != 0 && sessions.WithoutFinalRead is { } open
            ? new HistoryVerdict(HistoryOutcome.Undecided, open, $"'{open}' has no final read.")
            : HistoryVerdict.Held;
    }

    private static GuaranteeViolation? Find(UpdateHistory history, Guarantees guarantee) => guarantee switch
    {
        Guarantees.ConsistentPrefix => SequenceChecks.Prefix(history),
        Guarantees.Convergence => SequenceChecks.Convergence(history),
        Guarantees.ExactlyOnce => SequenceChecks.ExactlyOnce(history),
        Guarantees.Causal => CausalCheck.Run(history),
        _ => SessionCheck.Run(history, guarantee),
    };
}
