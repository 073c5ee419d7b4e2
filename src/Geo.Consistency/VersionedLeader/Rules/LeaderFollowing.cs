namespace Geo.Consistency;

/// <summary>How a replica follows a leader.</summary>
internal static class LeaderFollowing
{
    /// <summary>Takes what a leader tells, in a round of appends or in reply to a batch.</summary>
    internal static (LeaderReplica Replica, AppendAnswer Answer) Take(LeaderReplica replica, ClusterId from, Append append)
    {
        var hearing = replica.Hear(from, append.Incarnation, append.Term);
        if (append.Term < replica.Promised && !LeaderRules.IsOff(LeaderRule.Fence))
        {
            return Answered(hearing, AppendAnswerKind.Refused, append);
        }

        // It promised this term itself, or the leader knows which memory it tells: a leader of an earlier life of the grain, whose last
        // words come late, knows no memory of this one.
        var isKnown = append.Named == replica.Incarnation || (replica.IsSeated && append.Term == replica.Promised);
        if (!isKnown && !LeaderRules.IsOff(LeaderRule.Naming))
        {
            return Answered(hearing, AppendAnswerKind.Unseated, append);
        }

        if (append.Term < replica.Log.At)
        {
            return Answered(hearing, AppendAnswerKind.Refused, append);
        }

        var following = hearing;
        if (append.Term > replica.Log.At || append.Step > replica.Log.Step)
        {
            if (append.Log is not { } log)
            {
                return Answered(hearing, AppendAnswerKind.Behind, append);
            }

            following = following.WithLog(log) with { LogConfiguration = append.Configuration };
            following = replica.Led == append.Term ? following : following.StepDown();
        }

        following = following with
        {
            IsSeated = true,
            Promised = Term.Max(replica.Promised, append.Term),
            Heard = hearing.HeardAbove(append.Term),
            PromisedConfiguration = Math.Max(replica.PromisedConfiguration, append.Configuration),
            LogConfiguration = Math.Max(following.LogConfiguration, append.Configuration),
        };
        if (following.Leadership is null)
        {
            var isMajority = append.ConfirmsAtOnce || LeaderRules.IsOff(LeaderRule.Outsider);
            following = following.Confirm(isMajority ? following.Log.Step : Math.Min(append.Confirmed, following.Log.Step));
        }

        return Answered(following, AppendAnswerKind.Adopted, append);
    }

    private static (LeaderReplica Replica, AppendAnswer Answer) Answered(LeaderReplica replica, AppendAnswerKind kind, Append append) =>
        (replica, new(
            kind, replica.Promised, replica.PromisedConfiguration, replica.Incarnation, replica.Log.Step, append.Round));
}
