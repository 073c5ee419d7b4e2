namespace Geo.Consistency;

/// <summary>How a leader decides, and what confirms its decisions.</summary>
internal static class LeaderDeciding
{
    /// <summary>The log after one more decision, which makes versions or refuses.</summary>
    /// <param name="log">The log before.</param>
    /// <param name="instance">The instance whose updates are decided.</param>
    /// <param name="number">The number of the last of them.</param>
    /// <param name="applied">How many make versions.</param>
    /// <param name="state">The state that they make.</param>
    /// <param name="limit">How many instances' numbers are kept.</param>
    /// <param name="gaps">Which of the instance's updates are, or may be, in no version.</param>
    internal static ReplicaLog After(
        ReplicaLog log, long instance, BatchNumber number, int applied, ReadOnlyMemory<byte> state, int limit, UpdateGaps? gaps = null)
    {
        var step = log.Step + 1;
        return log with
        {
            Step = step,
            Version = log.Version + applied,
            Applied = log.Applied.With(instance, number.Encoded, step, limit, gaps),
            State = state,
        };
    }

    /// <summary>Makes a decision the leader's; null when it does not lead that term any more.</summary>
    internal static LeaderReplica? Decide(LeaderReplica replica, Term term, ReplicaLog log) =>
        replica.Led == term ? Confirm(replica.WithLog(log)) : null;

    /// <summary>Begins a round of appends.</summary>
    internal static LeaderReplica BeginRound(LeaderReplica replica) =>
        replica.Leadership is { } leading ? replica with { Leadership = leading with { Round = leading.Round + 1 } } : replica;

    /// <summary>What the leader tells a cluster now.</summary>
    /// <param name="replica">The leader.</param>
    /// <param name="to">The cluster.</param>
    /// <param name="round">The round; 0 for a reply.</param>
    /// <param name="withLog">False where the cluster has acknowledged the present step.</param>
    internal static Append Tell(LeaderReplica replica, ClusterId to, long round, bool withLog)
    {
        var leading = replica.Leadership!;
        var isInside = leading.Configuration.Includes(to);
        var isLeader = leading.Confirmation == UpdateConfirmation.Leader;
        return new(
            replica.Led, leading.Configuration.Number, replica.Incarnation, leading.Names.GetValueOrDefault(to), replica.Log.Step,
            isInside || !isLeader ? replica.Confirmed : 0, isInside && (isLeader || leading.Configuration.IsPair), round,
            withLog ? replica.Log : null);
    }

    /// <summary>Takes a follower's answer.</summary>
    internal static LeaderReplica Take(LeaderReplica replica, ClusterId from, Term told, AppendAnswer answer)
    {
        var hearing = replica.Hear(from, answer.Incarnation, answer.Promised);
        if (hearing.Leadership is not { } leading || hearing.Led != told)
        {
            return hearing;
        }

        switch (answer.Kind)
        {
            case AppendAnswerKind.Adopted:
                var before = leading.Acks.GetValueOrDefault(from);
                var acks = leading.Acks.SetItem(
                    from, new(Math.Max(before.Step, answer.Step), Math.Max(before.Round, answer.Round)));
                return Confirm(hearing with { Leadership = leading with { Acks = acks } });
            case AppendAnswerKind.Unseated when leading.Confirmation == UpdateConfirmation.Leader:
                // No term begins without this leader's answer, which knows the memory that it names.
                var names = leading.Names.SetItem(from, answer.Incarnation);
                return hearing with { Leadership = leading with { Names = names, Acks = leading.Acks.Remove(from) } };
            case AppendAnswerKind.Behind:
                return hearing with { Leadership = leading with { Acks = leading.Acks.Remove(from) } };
            default:
                return hearing;
        }
    }

    /// <summary>What the leader's acknowledgements confirm.</summary>
    internal static LeaderReplica Confirm(LeaderReplica replica)
    {
        if (replica.Leadership is not { } leading)
        {
            return replica;
        }

        if (leading.Confirmation == UpdateConfirmation.Leader)
        {
            return replica.Confirm(replica.Log.Step);
        }

        var steps = leading.Configuration.Clusters
            .Select(c => c == replica.Cluster ? replica.Log.Step : leading.Acks.TryGetValue(c, out var ack) ? ack.Step : -1)
            .OrderDescending().ToArray();
        return replica.Confirm(steps[leading.Configuration.Majority - 1]);
    }

    /// <summary>The configuration is another one: a replicated term ends with its own; the paper's goes on where it may.</summary>
    internal static LeaderReplica Process(LeaderReplica replica, ReplicaConfiguration configuration, UpdateConfirmation confirmation)
    {
        if (replica.Leadership is not { } leading || leading.Configuration.Number >= configuration.Number)
        {
            return replica.Candidacy is { } asking && asking.Configuration.Number < configuration.Number
                ? replica with { Candidacy = null } : replica;
        }

        var goesOn = leading.Confirmation == UpdateConfirmation.Leader
            && configuration.Resolve(confirmation) == UpdateConfirmation.Leader
            && configuration.Includes(replica.Cluster)
            && replica.PromisedConfiguration <= configuration.Number;
        return goesOn
            ? replica with
            {
                Candidacy = null,
                Leadership = leading with { Configuration = configuration },
                LogConfiguration = configuration.Number,
                PromisedConfiguration = configuration.Number,
            }
            : replica.StepDown();
    }
}
