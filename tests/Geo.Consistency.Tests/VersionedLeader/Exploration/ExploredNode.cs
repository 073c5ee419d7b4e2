namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>A cluster of an explored schedule: its memory, and the instance that raises updates and reads there.</summary>
internal sealed class ExploredNode(LeaderReplica replica, int configuration)
{
    private const int MaxPending = 100;

    internal LeaderReplica Replica { get; set; } = replica;

    /// <summary>Which configuration the cluster has processed.</summary>
    internal int Configuration { get; set; } = configuration;

    /// <summary>The queue of the views that ship.</summary>
    internal UpdateQueue<ExploredOp> Queue { get; } = new(new("explored", "1"), MaxPending, MaxPending);

    /// <summary>All that was ever queued.</summary>
    internal List<ExploredOp> Raised { get; } = [];

    internal List<ExploredRead> Reads { get; } = [];

    /// <summary>What was shown last.</summary>
    internal ReadOnlyMemory<byte> Shown { get; set; }

    internal VersionBase ShownBase => Replica.Shown.BaseOf(Replica.Shown.Version) ?? default;

    internal void Raise(bool isConditional)
    {
        ReadOnlyMemory<byte> ghost = Replica.Shown.State;
        foreach (var below in Queue.Snapshot())
        {
            ghost = ExploredHistory.With(ghost.Span, Replica.Incarnation, below.Sequence);
        }

        var group = isConditional
            ? new UpdateGroup(1, new Completion<bool>(CancellationToken.None))
            {
                ExpectedVersion = Replica.Shown.Version + Queue.Count,
                Base = ShownBase,
            }
            : null;
        var op = new ExploredOp(Queue.LastSequence + 1, group, ghost.ToArray());
        Raised.Add(op);
        if (group is null)
        {
            Queue.Add(op);
        }
        else
        {
            Queue.Add([op], group);
        }
    }

    /// <summary>What the view sends or decides next.</summary>
    internal (UpdateBatch Batch, ExploredOp[] Ops) Next()
    {
        var count = Queue.BatchSizeThroughCondition(out var condition);
        var batch = new UpdateBatch(
            Replica.Incarnation, 0, Queue.ResolvedThrough + 1, count, condition?.Count ?? 0, condition?.Base ?? default,
            condition?.ExpectedVersion ?? 0);
        return (batch, Queue.Snapshot()[..count]);
    }

    /// <summary>Takes the decisions on what is queued out of what is shown.</summary>
    internal void Settle()
    {
        if (Replica.Shown.Applied.TryGetNumber(Replica.Incarnation, out var number))
        {
            Queue.Settle(BatchNumber.Decode(number));
        }

        Queue.Rebase(ShownBase);
    }

    /// <summary>What the instance was told of its updates must be so.</summary>
    internal void Check(ExploredHistory history)
    {
        var waiting = Queue.Snapshot();
        foreach (var op in Raised.Where(op => !waiting.Contains(op)))
        {
            var isThere = history.Has(Replica.Incarnation, op.Sequence);
            var isApplied = op.Group?.Decision!.Task.Result ?? true;
            if (isThere && !isApplied)
            {
                throw new ExplorationException("an update that was said to be refused is there");
            }

            if (!isThere && isApplied && history.Losses == 0)
            {
                throw new ExplorationException("an update that was said to be applied is not there");
            }
        }
    }
}
