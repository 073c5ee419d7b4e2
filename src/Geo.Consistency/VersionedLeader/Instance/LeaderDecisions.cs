using System.Diagnostics.CodeAnalysis;

namespace Geo.Consistency;

/// <summary>Decides on updates where the cluster's memory leads, and makes the decisions the memory's.</summary>
/// <remarks>A part of the instance, as <see cref="LeaderSearch"/> is.</remarks>
internal struct LeaderDecisions<TState, TUpdate>
{
    private LeaderState<TState, TUpdate> _state;

    /// <summary>True when nothing is decided that is not shown.</summary>
    internal readonly bool IsShown => _state.IsNone;

    /// <summary>Decides on a batch; null when the instance does not lead any more.</summary>
    /// <param name="states">How the states are made.</param>
    /// <param name="memory">The memory.</param>
    /// <param name="by">The instance that decides.</param>
    /// <param name="batch">The batch.</param>
    /// <param name="updates">Gives its updates in their groups, if they are needed.</param>
    internal BatchAnswer? TryDecide(
        ViewStates<TState, TUpdate> states, ReplicaMemory memory, IMemoryWatcher by, UpdateBatch batch,
        Func<IReadOnlyList<TUpdate[]>> updates)
    {
        var replica = memory.Replica;
        if (replica.Leadership is null)
        {
            return null;
        }

        var log = replica.Log;
        var decision = BatchRules.Decide(batch, log);
        if (decision.IsForgotten)
        {
            return BatchAnswer.Forgotten;
        }

        if (decision.Skip == batch.Count)
        {
            return BatchAnswer.Latest;
        }

        var groups = Cut(updates(), decision.Skip, decision.Apply);
        var (bytes, written, failure) = _state.Apply(states, log, groups);
        var applied = groups.Take(written).Sum(g => g.Count);
        var next = batch.FirstSequence + decision.Skip + applied;
        var number = failure is null ? new BatchNumber(batch.LastSequence, decision.IsRefused)
            : new BatchNumber(next + groups[written].Count - 1, false, IsUnwritable: true);
        var without = NumberRanges.Of(new NumberRange(next, number.LastSequence));
        var gaps = failure is not null ? UpdateGaps.Join(batch.Gaps, new(Removed: without, Refused: default))
            : decision.IsRefused ? UpdateGaps.Join(batch.Gaps, new(Removed: default, Refused: without)) : batch.Gaps;
        var after = LeaderDeciding.After(
            log, batch.Instance, number, applied, bytes, states.Services.VersionedLeader.MaxInstances, gaps);
        if (!memory.TryDecide(by, replica.Led, log, after))
        {
            return null;
        }

        _state.Became(after);
        if (failure is not null)
        {
            ConsistencyMetrics.UpdatesQuarantined.Add(groups[written].Count);
            ViewLog.NeedsAttention(states.Logger, states.Key, $"{groups[written].Count} updates were refused: {failure.Message}");
        }

        return BatchAnswer.Latest;
    }

    /// <inheritdoc cref="LeaderState{TState, TUpdate}.TryTake"/>
    internal bool TryTake(ReplicaLog log, [MaybeNullWhen(false)] out TState state) => _state.TryTake(log, out state);

    /// <summary>The groups without the first updates, and as many updates as are to be applied.</summary>
    private static List<ArraySegment<TUpdate>> Cut(IReadOnlyList<TUpdate[]> groups, int skip, int take)
    {
        var cut = new List<ArraySegment<TUpdate>>(groups.Count);
        foreach (var group in groups)
        {
            var first = Math.Min(skip, group.Length);
            var count = Math.Min(take, group.Length - first);
            skip -= first;
            take -= count;
            if (count > 0)
            {
                cut.Add(new(group, first, count));
            }
        }

        return cut;
    }
}
