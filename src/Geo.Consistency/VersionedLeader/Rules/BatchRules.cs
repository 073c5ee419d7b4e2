namespace Geo.Consistency;

/// <summary>How a leader decides on an instance's updates, and how the instance reads the decision (GEO section 3.5).</summary>
/// <remarks>
/// An instance numbers its updates and sends the same numbers again when a reply is lost; the leader keeps the last number of each
/// instance with the state and skips what it decided before. State and numbers travel together everywhere, so that a leader that
/// starts from a follower's copy skips exactly what that copy holds. As many instances' numbers as an option allows are kept: a batch that
/// may have been decided under a number that is forgotten is not decided, and its sender is told. It sends what no message had carried
/// before once more, with what it has learnt; of the rest the outcome is lost.
/// </remarks>
internal static class BatchRules
{
    internal static BatchDecision Decide(UpdateBatch batch, ReplicaLog log)
    {
        var isKnown = log.Applied.TryGetNumber(batch.Instance, out var number);
        if (!isKnown && batch.Count > 0 && log.Applied.ForgottenThrough > batch.Since && !LeaderRules.IsOff(LeaderRule.Forgotten))
        {
            return new(true, 0, 0, false);
        }

        var before = isKnown && !LeaderRules.IsOff(LeaderRule.Dedupe) ? BatchNumber.Decode(number) : default;
        var skip = (int)Math.Clamp(before.LastSequence - batch.FirstSequence + 1, 0, batch.Count);
        if (skip > 0 && (before.IsRefused || before.IsUnwritable))
        {
            // The instance has not heard of that, and would take a later decision for one on all before.
            return new(false, batch.Count, 0, false);
        }

        var rest = batch.Count - skip;
        if (batch.Conditional == 0 || rest == 0)
        {
            return new(false, skip, rest, false);
        }

        var unconditional = Math.Max(0, rest - batch.Conditional);
        var holds = LeaderRules.IsOff(LeaderRule.Condition)
            || (log.Version + unconditional == batch.Expected
                && (log.BaseOf(batch.Base.Version) == batch.Base || LeaderRules.IsOff(LeaderRule.Base)));
        return new(false, skip, holds ? rest : unconditional, !holds);
    }
}
