namespace Geo.Testing;

/// <summary>
/// Checks histories for the levels of coordination-free grains (<see cref="ConsistencyLevel"/>), over all grains that sessions touch. The
/// time grows with the calls and what they have seen, times the sessions.
/// </summary>
public static class LevelChecker
{
    /// <summary>Checks a history for one level.</summary>
    /// <returns>Violated with what shows it, or Holds.</returns>
    public static HistoryVerdict Check(LevelHistory history, ConsistencyLevel level)
    {
        ArgumentNullException.ThrowIfNull(history);
        return Find(history, level) is var (key, text)
            ? new HistoryVerdict(HistoryOutcome.Violated, key, $"{level} of '{key}' is broken: {text}")
            : HistoryVerdict.Held;
    }

    private static (string Key, string Text)? Find(LevelHistory history, ConsistencyLevel level) => level switch
    {
        ConsistencyLevel.SimpleEventual => ConvergenceCheck.Run(history),
        ConsistencyLevel.MonotonicReads => new PastCheck(history) { OwnReads = true }.Run(),
        ConsistencyLevel.ReadYourWrites => new PastCheck(history) { OwnWrites = true }.Run(),
        ConsistencyLevel.MonotonicWrites => new PastCheck(history) { ByNode = true, WritesBefore = true }.Run(),
        ConsistencyLevel.WritesFollowReads => new PastCheck(history) { ByNode = true, ReadsBefore = true }.Run(),
        ConsistencyLevel.Pram =>
            new PastCheck(history) { OwnReads = true, OwnWrites = true, WritesBefore = true }.Run()
            ?? Find(history, ConsistencyLevel.MonotonicWrites),
        ConsistencyLevel.Causal =>
            new PastCheck(history) { OwnReads = true, OwnWrites = true, WritesBefore = true, ReadsBefore = true }.Run()
            ?? Find(history, ConsistencyLevel.MonotonicWrites) ?? Find(history, ConsistencyLevel.WritesFollowReads),
        ConsistencyLevel.ReadUncommitted => TransactionChecks.DirtyWrites(history),
        ConsistencyLevel.ReadCommitted => TransactionChecks.DirtyWrites(history) ?? TransactionChecks.DirtyReads(history),
        ConsistencyLevel.ItemCut => Find(history, ConsistencyLevel.ReadCommitted) ?? TransactionChecks.OtherReads(history),
        _ => throw new ArgumentOutOfRangeException(nameof(level)),
    };
}
