namespace Geo.Consistency;

/// <summary>What a leader does with a batch.</summary>
/// <param name="IsOutcomeLost">True to apply nothing: whether it was applied before can no longer be found out.</param>
/// <param name="Skip">How many of the first updates were decided before.</param>
/// <param name="Apply">How many of the updates after those are to be applied.</param>
/// <param name="IsRefused">True when the conditional ones at the end are not among them.</param>
internal readonly record struct BatchDecision(bool IsOutcomeLost, int Skip, int Apply, bool IsRefused);

/// <summary>The rules of the leader-based protocol (GEO section 3.5) as pure functions.</summary>
/// <remarks>
/// An instance numbers its updates and sends the same numbers again when a reply is lost; the leader keeps the last number of each
/// instance with the state and skips what it decided before. State and numbers travel together everywhere, so that a leader that
/// starts from a follower's copy skips exactly what that copy holds.
/// </remarks>
internal static class VersionedLeaderRules
{
    internal static BatchDecision Decide(BatchHead batch, AppliedTable applied, long term, long version)
    {
        var isKnown = applied.TryGetNumber(batch.Instance, out var number);
        if (!isKnown && batch.InDoubtSince > 0 && applied.ForgottenThrough > batch.InDoubtSince - 1)
        {
            return new(true, 0, 0, false);
        }

        var last = isKnown ? BatchNumber.Decode(number).LastSequence : 0;
        var skip = (int)Math.Clamp(last - batch.FirstSequence + 1, 0, batch.Count);
        var rest = batch.Count - skip;
        if (batch.Conditional == 0 || rest == 0)
        {
            return new(false, skip, rest, false);
        }

        var unconditional = rest - batch.Conditional;
        var holds = version + unconditional == batch.ExpectedVersion && (batch.ExpectedTerm == term || batch.ExpectedTerm == 0);
        return new(false, skip, holds ? rest : unconditional, !holds);
    }

    /// <summary>How many of a follower's queued updates a version has decided, and whether the last group of them was refused.</summary>
    internal static (int Count, bool IsLastRefused) Decided(AppliedTable applied, long instance, long resolvedThrough, int queued)
    {
        if (!applied.TryGetNumber(instance, out var number))
        {
            return (0, false);
        }

        var decided = BatchNumber.Decode(number);
        return ((int)Math.Clamp(decided.LastSequence - resolvedThrough, 0, queued), decided.IsRefused);
    }
}
