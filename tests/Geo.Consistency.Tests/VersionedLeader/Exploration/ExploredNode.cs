namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>A cluster of an explored schedule: its memory, and the instance that raises updates and reads there.</summary>
internal sealed class ExploredNode(LeaderReplica replica, int configuration)
{
    private const int MaxPending = 100;

    private readonly HashSet<long> _lost = [];

    internal LeaderReplica Replica { get; set; } = replica;

    /// <summary>Which configuration the cluster has processed.</summary>
    internal int Configuration { get; set; } = configuration;

    /// <summary>The queue of the views that ship.</summary>
    internal UpdateQueue<ExploredOp> Queue { get; } = new("explored/1", MaxPending, MaxPending);

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

    /// <summary>What the view sends or decides next, which is marked as sent.</summary>
    /// <param name="known">What is known where nothing of it was sent before.</param>
    internal (UpdateBatch Batch, ExploredOp[] Ops) Next(long known)
    {
        var count = Queue.BatchSizeThroughCondition(out var condition);
        var ops = Queue.Snapshot()[..count];
        var since = ops.Min(op => op.Since) ?? known;
        foreach (var op in ops)
        {
            op.Since ??= Replica.Shown.Step;
            op.Times = (op.Times.Sent + 1, op.Times.Arrived);
        }

        var batch = new UpdateBatch(
            Replica.Incarnation, since, Queue.ResolvedThrough + 1, count, condition?.Count ?? 0, condition?.Base ?? default,
            condition?.ExpectedVersion ?? 0);
        return (batch, ops);
    }

    /// <summary>
    /// The leader has forgotten too many numbers: what was sent once and came once is sent again, of the rest the outcome is lost.
    /// </summary>
    internal void Forgotten(long instance, ExploredOp[] ops)
    {
        if (instance != Replica.Incarnation)
        {
            return;
        }

        if (Array.TrueForAll(ops, op => op.Times == (1, 1)))
        {
            Array.ForEach(ops, op => (op.Since, op.Times) = (null, default));
        }
        else
        {
            GiveUp();
        }
    }

    /// <summary>Gives up all that was ever sent: it may have been decided.</summary>
    internal void GiveUp()
    {
        var sent = Queue.Snapshot().Where(op => op.Since is not null).ToList();
        if (sent.Count > 0)
        {
            _lost.UnionWith(Queue.Snapshot().Select(op => op.Sequence).TakeWhile(sequence => sequence <= sent[^1].Sequence));
            Queue.RemoveInDoubt(Queue.CountThrough(sent[^1].Sequence), new("lost"));
            Queue.RefuseConditional();
        }
    }

    /// <summary>Takes the decisions on what is queued out of what is shown.</summary>
    internal void Settle()
    {
        if (Replica.Shown.Applied.TryGetNumber(Replica.Incarnation, out var number))
        {
            Queue.Settle(BatchNumber.Decode(number));
        }

        var sent = Queue.Snapshot().Where(op => op.Since is not null).ToList();
        var inDoubt = sent.Count == 0 ? default : new SentUpdates(sent[^1].Sequence, sent.Min(op => op.Since!.Value));
        Queue.Rebase(ShownBase, inDoubt.ForgottenThrough(Replica.Shown.Applied, Replica.Incarnation));
    }

    /// <summary>What the instance was told of its updates must be so.</summary>
    internal void Check(ExploredHistory history)
    {
        var waiting = Queue.Snapshot();
        foreach (var op in Raised.Where(op => !waiting.Contains(op)))
        {
            var isThere = history.Has(Replica.Incarnation, op.Sequence);
            if (op.Group?.Decision is { Task.IsFaulted: true } || (op.Group is null && _lost.Contains(op.Sequence)))
            {
                continue;
            }

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
