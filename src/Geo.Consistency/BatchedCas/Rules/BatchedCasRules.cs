namespace Geo.Consistency;

/// <summary>
/// The rules of batching compare-and-swap (GEO section 3.4) as pure functions: what an instance knows and what happened give what it
/// knows then.
/// </summary>
/// <remarks>
/// <para>
/// Which of its updates took effect an instance learns from the numbers stored with the state: of each instance the number of its last
/// update that the state holds. The paper stores one bit per cluster that each write flips. A bit is not enough: (1) attempt 1 carries
/// {u1} and is cut off, a read shows nothing, attempt 2 carries {u1, u2} and meets a conflict because attempt 1 arrived after all: the
/// bit says that the write took effect, and u2 is lost; (2) a write of a dead predecessor in the same cluster arrives late and passes
/// for one's own; (3) an update that was handed in to another instance may be written by it, by the own instance, or by both in turn.
/// The update's own number says whether it is in, whoever wrote it.
/// </para>
/// <para>
/// Numbers are kept per instance, not per cluster: a predecessor that still lives (a zombie, a duplicate of an optimistic activation)
/// has numbers of its own. The table of numbers is bounded; when the entry that would tell may have been displaced, the outcome is
/// reported as lost rather than guessed.
/// </para>
/// <para>
/// The compare-and-swap is the judge of it all: nothing that instances tell each other makes a version.
/// </para>
/// </remarks>
internal static class BatchedCasRules
{
    internal static CasStep Next(CasState state, bool hasUpdates, bool wantsRefresh, bool triesAgain) =>
        state.IsFaulted ? (triesAgain ? CasStep.Read : CasStep.Idle)
        : !state.IsLoaded || state.MustRead ? CasStep.Read
        : hasUpdates ? CasStep.Write
        : wantsRefresh ? CasStep.Read
        : CasStep.Idle;

    /// <summary>True when the next read follows on conflicts, and contenders are to spread out before it.</summary>
    internal static bool SpreadsOut(CasState state) => state is { MustRead: true, Conflicts: > 1 };

    internal static CasState WriteApplied(CasState state, ETag etag, CasBatch batch) => state with
    {
        ETag = etag,
        Version = batch.Version,
        Applied = batch.Applied,
        Writer = batch.Writer,
        WrittenThrough = 0,
        Failures = 0,
        Conflicts = 0,
    };

    /// <summary>
    /// The row has moved on. The attempt itself was not applied, so the store says; but some layer below may have repeated it, and this be
    /// the reply to the repetition. The row's numbers are better evidence.
    /// </summary>
    /// <param name="state">What was known.</param>
    /// <param name="through">As for <see cref="WriteUnknown"/>.</param>
    internal static CasState WriteConflicted(CasState state, long through) => state with
    {
        WrittenThrough = Math.Max(state.WrittenThrough, through),
        MustRead = true,
        Failures = 0,
        Conflicts = state.Conflicts + 1,
    };

    /// <param name="state">What was known.</param>
    /// <param name="through">The number of the last own update that the write carried; 0 when it carried none.</param>
    internal static CasState WriteUnknown(CasState state, long through) => state with
    {
        WrittenThrough = Math.Max(state.WrittenThrough, through),
        MustRead = true,
        Failures = state.Failures + 1,
    };

    internal static CasState ReadFailed(CasState state) => state with { Failures = state.Failures + 1 };

    internal static CasState Faulted(CasState state) => state with { IsFaulted = true, MustRead = true, Failures = 0 };

    /// <summary>Nothing is left to write, or another instance writes it: what comes next is no contest.</summary>
    internal static CasState Rested(CasState state) => state with { Conflicts = 0 };

    /// <summary>Own updates up to a number are about to be handed in.</summary>
    internal static CasState HandedIn(CasState state, long through) =>
        state with { HandedThrough = Math.Max(state.HandedThrough, through) };

    /// <summary>Nobody has written what was handed in, as far as is known: the store is read before the next write.</summary>
    internal static CasState HandInFailed(CasState state) => state with { MustRead = true, Conflicts = 0 };

    /// <summary>Another instance says that there is a newer version, without the version itself.</summary>
    internal static CasState Announced(CasState state, long version) =>
        version > state.Version ? state with { MustRead = true } : state;

    /// <summary>The stored version was seen: read, or told by the instance that wrote it.</summary>
    /// <param name="state">What was known.</param>
    /// <param name="row">What is stored.</param>
    /// <param name="instance">This instance.</param>
    /// <param name="countThrough">How many of the own updates that are queued have no higher number.</param>
    internal static CasObservation Observe(CasState state, CasRow row, long instance, Func<long, int> countThrough)
    {
        // Not by the etag alone: a store that counts its versions counts them again once it is set back.
        if (state.IsLoaded && row.ETag == state.ETag && (row.Version, row.Writer) == (state.Version, state.Writer))
        {
            // A write in doubt may still arrive, and the failures go on counting.
            var seen = state with { MustRead = false, IsFaulted = false, Failures = state.WrittenThrough == 0 ? 0 : state.Failures };
            return new(seen, CasVerdict.Unchanged, 0, 0, false);
        }

        if (state.IsLoaded && !CasRules.IsOff(CasRule.Replaced) && !Continues(state, row))
        {
            return new(state, CasVerdict.Replaced, 0, 0, true);
        }

        var isKnown = row.Applied.TryGetNumber(instance, out var number) && !CasRules.IsOff(CasRule.Landed);
        var landed = isKnown ? countThrough(number) : 0;
        var mayBeForgotten = !isKnown && row.Applied.ForgottenThrough > state.Version && !CasRules.IsOff(CasRule.Lost);
        var inDoubt = mayBeForgotten ? countThrough(state.DoubtThrough) : 0;
        var next = state with
        {
            IsLoaded = true,
            ETag = row.ETag,
            Version = row.Version,
            Applied = row.Applied,
            Writer = row.Writer,
            WrittenThrough = 0,
            MustRead = false,
            IsFaulted = false,
            Failures = 0,
        };
        return new(next, CasVerdict.Newer, landed, inDoubt, row.Version > state.Version + landed);
    }

    /// <summary>
    /// False when a row is certainly not what the known version has become: each write adds to the version, and keeps each instance's
    /// number unless it says that it has displaced it. A row that was set back and has grown again lacks numbers, or has a known etag.
    /// </summary>
    private static bool Continues(CasState state, CasRow row) =>
        row.ETag is not null && row.ETag != state.ETag && row.Version > state.Version && row.Applied.Continues(state.Applied);
}
