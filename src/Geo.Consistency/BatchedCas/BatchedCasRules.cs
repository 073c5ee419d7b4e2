using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>What to do next.</summary>
internal enum CasStep
{
    Idle,
    Read,
    Write,
}

/// <summary>
/// The rules of batching compare-and-swap (GEO section 3.4) as pure functions: what an instance knows and what happened give what it
/// knows then.
/// </summary>
/// <remarks>
/// <para>
/// Which of its writes took effect an instance learns from the stamps stored with the state. The paper stores one bit per cluster
/// that each write flips. A bit is not enough: (1) attempt 1 carries {u1} and is cut off, a read shows nothing, attempt 2 carries
/// {u1, u2} and meets a conflict because attempt 1 arrived after all: the bit says that the write took effect, and u2 is lost; (2) a
/// write of a dead predecessor in the same cluster arrives late and passes for one's own.
/// </para>
/// <para>
/// So the bit is widened to a stamp: (instance, number of the attempt). An instance remembers every attempt that expected one etag,
/// with the number of its oldest updates it carried. Etags are never used twice, so that at most one of these attempts can ever be
/// applied, and none once the row has moved on: then the stamp says which.
/// </para>
/// <para>
/// A stamp is kept per instance, not per cluster: a predecessor that still lives (a zombie, a duplicate of an optimistic
/// activation) may write between an attempt and the read that settles it, and would wipe out a cluster's last stamp. Per instance
/// only the last stamp matters, because an instance settles all attempts on one etag before it writes on another. The table of stamps
/// is bounded; when the entry that would tell may have been displaced, the outcome is reported as lost rather than guessed.
/// </para>
/// </remarks>
internal static class BatchedCasRules
{
    internal static CasStep Next(CasState state, bool hasUpdates, bool wantsRefresh, bool hasWaiters) =>
        state.IsFaulted ? (hasWaiters ? CasStep.Read : CasStep.Idle)
        : !state.IsLoaded || state.MustRead ? CasStep.Read
        : hasUpdates ? CasStep.Write
        : wantsRefresh ? CasStep.Read
        : CasStep.Idle;

    internal static CasState WriteBegins(CasState state) => state with { LastAttempt = state.LastAttempt + 1 };

    internal static CasState WriteApplied(CasState state, ETag etag, long version, AppliedTable stamps) => state with
    {
        ETag = etag,
        Version = version,
        Stamps = stamps,
        Outstanding = [],
        Failures = 0,
        Conflicts = 0,
    };

    /// <summary>
    /// The row has moved on. The attempt itself was not applied, so the store says; it is remembered all the same, because the stamp
    /// is better evidence than a reply that some layer below may have given to its own repetition.
    /// </summary>
    internal static CasState WriteConflicted(CasState state, int updates) => state with
    {
        Outstanding = Remember(state, updates, isInDoubt: false),
        MustRead = true,
        Failures = 0,
        Conflicts = state.Conflicts + 1,
    };

    internal static CasState WriteUnknown(CasState state, int updates) => state with
    {
        Outstanding = Remember(state, updates, isInDoubt: true),
        MustRead = true,
        Failures = state.Failures + 1,
    };

    internal static CasState ReadFailed(CasState state) => state with { Failures = state.Failures + 1 };

    internal static CasState Faulted(CasState state) => state with { IsFaulted = true, MustRead = true, Failures = 0 };

    /// <summary>Another instance says that there is a newer version, without the version itself.</summary>
    internal static CasState Announced(CasState state, long version) =>
        version > state.Version ? state with { MustRead = true } : state;

    /// <summary>The stored version was seen: read, or told by the instance that wrote it.</summary>
    /// <param name="state">What was known.</param>
    /// <param name="etag">The row's present version; null where there is no row.</param>
    /// <param name="version">The version stored; 0 where there is no row.</param>
    /// <param name="stamps">The stamps stored; empty where there is no row.</param>
    /// <param name="instance">This instance.</param>
    /// <param name="checksStamps">False only to show what becomes of the updates without the stamps.</param>
    internal static CasObservation Observe(
        CasState state, ETag? etag, long version, AppliedTable stamps, long instance, bool checksStamps = true)
    {
        if (state.IsLoaded && etag == state.ETag)
        {
            // An attempt in doubt may still arrive: it stays outstanding, and the failures go on counting.
            var seen = state with { MustRead = false, IsFaulted = false, Failures = state.Outstanding.IsEmpty ? 0 : state.Failures };
            return new(seen, CasVerdict.Unchanged, 0, 0, false);
        }

        if (state.IsLoaded && (etag is null || version < state.Version))
        {
            return new(state, CasVerdict.Replaced, 0, 0, true);
        }

        var landed = checksStamps ? Landed(state, stamps, instance) : 0;
        var inDoubt = landed == 0 && stamps.ForgottenThrough > state.Version ? UpdatesInDoubt(state) : 0;
        var next = state with
        {
            IsLoaded = true,
            ETag = etag,
            Version = version,
            Stamps = stamps,
            Outstanding = [],
            MustRead = false,
            IsFaulted = false,
            Failures = 0,
        };
        return new(next, CasVerdict.Newer, landed, inDoubt, version > state.Version + landed);
    }

    private static int Landed(CasState state, AppliedTable stamps, long instance)
    {
        if (stamps.TryGetNumber(instance, out var number))
        {
            foreach (var attempts in state.Outstanding)
            {
                if (number >= attempts.First && number <= attempts.Last)
                {
                    return attempts.Updates;
                }
            }
        }

        return 0;
    }

    private static int UpdatesInDoubt(CasState state) =>
        state.Outstanding.Where(a => a.IsInDoubt).Select(a => a.Updates).DefaultIfEmpty().Max();

    private static ImmutableArray<CasAttempts> Remember(CasState state, int updates, bool isInDoubt)
    {
        var outstanding = state.Outstanding;
        return !outstanding.IsEmpty && outstanding[^1] is var last
            && last.Updates == updates && last.IsInDoubt == isInDoubt && last.Last + 1 == state.LastAttempt
            ? outstanding.SetItem(outstanding.Length - 1, last with { Last = state.LastAttempt })
            : outstanding.Add(new(state.LastAttempt, state.LastAttempt, updates, isInDoubt));
    }
}
