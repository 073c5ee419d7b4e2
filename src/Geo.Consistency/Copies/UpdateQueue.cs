namespace Geo.Consistency;

/// <summary>
/// A view's own updates that are not part of a known version yet, oldest first, each with a sequence number that counts all the
/// updates the view ever enqueued from 1.
/// </summary>
/// <param name="grain">The grain, as text.</param>
/// <param name="maxPending">How many may wait.</param>
/// <param name="maxBatch">How many go into one write.</param>
internal sealed class UpdateQueue<TUpdate>(object grain, int maxPending, int maxBatch)
{
    // A list that has room for more than these entries is not kept for the next use.
    private const int MaxSpare = 256;

    // What stands for the list while nothing is queued; never added to.
    private static readonly List<Entry> None = [];

    private List<Entry> _entries = None;
    private long _lastConditional;

    internal int Count => _entries.Count;

    /// <summary>The sequence number of the newest update ever enqueued; 0 before the first.</summary>
    internal long LastSequence { get; private set; }

    /// <summary>The sequence numbers of the updates that wait; none where none does.</summary>
    internal NumberRange Numbers => _entries.Count == 0 ? default : new(_entries[0].Sequence, _entries[^1].Sequence);

    /// <summary>True where one of those that wait is on a condition.</summary>
    internal bool HasConditional => _lastConditional > ResolvedThrough && _entries.Exists(e => e.Group is { Decision: not null });

    /// <summary>Which were refused because their condition did not hold; null for none.</summary>
    internal RefusedUpdates? Refused { get; private set; }

    /// <summary>The sequence number up to which no update is waiting any more.</summary>
    internal long ResolvedThrough => _entries.Count == 0 ? LastSequence : _entries[0].Sequence - 1;

    internal TUpdate this[int index] => _entries[index].Update;

    internal TUpdate[] Snapshot() => [.. _entries.Select(e => e.Update)];

    internal void Add(TUpdate update)
    {
        CheckRoom(1);
        Begin();
        _entries.Add(new(update, ++LastSequence, null));
    }

    internal void Add(IReadOnlyList<TUpdate> updates, UpdateGroup group)
    {
        CheckRoom(updates.Count);
        Begin();
        foreach (var update in updates)
        {
            _entries.Add(new(update, ++LastSequence, group));
        }

        _lastConditional = group.Decision is null ? _lastConditional : LastSequence;
    }

    /// <summary>The sequence number of the newest of the oldest updates; 0 for none.</summary>
    internal long SequenceThrough(int count) => count == 0 ? 0 : _entries[count - 1].Sequence;

    /// <summary>How many of the oldest updates have no higher sequence number than one.</summary>
    internal int CountThrough(long sequence)
    {
        var (low, high) = (0, _entries.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            (low, high) = _entries[middle].Sequence <= sequence ? (middle + 1, high) : (low, middle);
        }

        return low;
    }

    /// <summary>The oldest updates in groups whose sequence numbers have no gap.</summary>
    internal List<HandInGroup> NumberedGroups(int count)
    {
        var groups = new List<HandInGroup>();
        var first = 0;
        foreach (var end in GroupEnds(count))
        {
            var entry = _entries[first];
            groups.Add(new(entry.Sequence, end - first, entry.Group is { Decision: not null } group ? group.ExpectedVersion : null));
            first = end;
        }

        return groups;
    }

    /// <summary>How many of the oldest updates go into the next write: whole groups, at most the batch limit.</summary>
    internal int BatchSize() => BatchSize(maxBatch);

    /// <summary>As <see cref="BatchSize()"/>, with a limit that is not above the batch limit.</summary>
    internal int BatchSize(int limit)
    {
        var size = Math.Min(_entries.Count, limit);
        while (size > 0 && size < _entries.Count && _entries[size].Group is { } cut && cut == _entries[size - 1].Group)
        {
            size--;
        }

        return size;
    }

    /// <summary>
    /// As <see cref="BatchSize()"/>, but a batch ends with its first conditional group, which is given: who decides on conditions
    /// elsewhere remembers one decision of each sender. It also ends where a number is missing, because updates between were taken out: its
    /// updates are numbered from the first, and each must keep the number under which it is sent.
    /// </summary>
    internal int BatchSizeThroughCondition(out UpdateGroup? condition)
    {
        var size = BatchSize();
        for (var i = 0; i < size; i++)
        {
            if (_entries[i].Sequence != _entries[0].Sequence + i)
            {
                size = i;
                break;
            }

            if (_entries[i].Group is { Decision: not null } group)
            {
                condition = group;
                return i + group.Count;
            }
        }

        condition = null;
        return size;
    }

    /// <summary>
    /// The updates up to a sequence number were decided elsewhere. Where the last of them was refused, so is every conditional group
    /// after it, which was raised on it; where its state could not be written, it and they are left for the caller to take out, and their
    /// number is given.
    /// </summary>
    internal int Settle(BatchNumber decided)
    {
        var count = CountThrough(decided.LastSequence);
        var last = count > 0 && _entries[count - 1].Sequence == decided.LastSequence ? LastGroup(count) : 0;
        if (decided.IsUnwritable)
        {
            RemoveConfirmed(count - last);
            return last;
        }

        if (last > 0 && decided.IsRefused && _entries[count - 1].Group is { Decision: not null })
        {
            RemoveConfirmed(count - last);
            Refuse(0, LeaderRules.IsOff(LeaderRule.Cascade) ? decided.LastSequence : LastSequence);
        }
        else
        {
            RemoveConfirmed(count);
        }

        return 0;
    }

    /// <summary>Removes the oldest updates because they are part of a version.</summary>
    internal void RemoveConfirmed(int count) => Remove(count, static decision => decision.TrySetResult(true));

    /// <summary>Removes the oldest updates, one at least, because nobody can tell any more whether they took effect.</summary>
    internal RemovedRange RemoveInDoubt(int count, GeoOutcomeUnknownException reason)
    {
        var (first, last, areTold) = (_entries[0].Sequence, SequenceThrough(count), AreConditional(count));
        Remove(count, decision =>
        {
            decision.TrySetFaulted(reason);
            areTold &= !decision.Task.IsCanceled;
        });
        return new(new(first, last), areTold);
    }

    /// <summary>
    /// Removes every conditional group: because another instance's update got between, or, given a reason, because nothing can be
    /// written. True when there was one.
    /// </summary>
    internal bool RefuseConditional(Exception? reason = null) => Refuse(0, LastSequence, reason);

    /// <summary>
    /// A version is shown: the conditional groups that follow it, but for the updates queued before them, are on top of it from now on. The
    /// first that does not is refused, because another instance's update came between, and so are all after it, which were raised on it.
    /// </summary>
    /// <param name="shown">The version.</param>
    /// <param name="inDoubtThrough">
    /// The number of the newest update that may have been decided without this instance's knowledge: up to it nothing is refused here.
    /// </param>
    internal void Rebase(VersionBase shown, long inDoubtThrough = 0)
    {
        for (var i = 0; i < _entries.Count && !LeaderRules.IsOff(LeaderRule.Rebase); i++)
        {
            if (_entries[i].Sequence <= inDoubtThrough || _entries[i].Group is not { Decision: not null } group
                || (i > 0 && _entries[i - 1].Group == group))
            {
                continue;
            }

            if (shown.Version + i != group.ExpectedVersion)
            {
                Refuse(_entries[i].Sequence, LastSequence);
                return;
            }

            group.Base = shown;
        }
    }

    /// <summary>The oldest updates in their groups.</summary>
    internal IReadOnlyList<TUpdate[]> Groups(int count)
    {
        var groups = new List<TUpdate[]>();
        var first = 0;
        foreach (var end in GroupEnds(count))
        {
            groups.Add([.. _entries[first..end].Select(e => e.Update)]);
            first = end;
        }

        return groups;
    }

    /// <summary>The numbers of updates after which the oldest groups end, up to a number.</summary>
    internal List<int> GroupEnds(int count)
    {
        var ends = new List<int>();
        for (var i = 1; i <= count; i++)
        {
            if (i == count || _entries[i].Group is null || _entries[i].Group != _entries[i - 1].Group)
            {
                ends.Add(i);
            }
        }

        return ends;
    }

    /// <summary>
    /// Takes out the updates from one place to another, because the state that they make cannot be written, and refuses every conditional
    /// group after them, which was raised on that state; where the same is not known of it, it ends as they do.
    /// </summary>
    internal RemovedRange Quarantine(int first, int end, Exception reason, long doubtThrough = 0)
    {
        var sequence = _entries[first].Sequence;
        var own = _entries[first].Group?.Decision;
        own?.TrySetFaulted(reason);
        var range = new RemovedRange(new(sequence, SequenceThrough(end)), own is { Task.IsCanceled: false });
        _entries.RemoveRange(first, end - first);
        Refuse(sequence, LastSequence, reason, doubtThrough);
        return range;
    }

    /// <summary>Ends the wait for every decision that is still open.</summary>
    internal void Abandon(Exception reason)
    {
        foreach (var entry in _entries)
        {
            entry.Group?.Decision?.TrySetFaulted(reason);
        }
    }

    private bool AreConditional(int count) => _entries.Take(count).All(e => e.Group?.Decision is not null);

    private int LastGroup(int count)
    {
        var ends = GroupEnds(count);
        return ends.Count > 1 ? count - ends[^2] : count;
    }

    /// <summary>
    /// Removes the conditional groups from one number to another as refused or, those up to a third, for a reason. True for one or more.
    /// </summary>
    private bool Refuse(long first, long last, Exception? reason = null, long reasonThrough = long.MaxValue)
    {
        var refused = _entries.RemoveAll(
            e => first <= e.Sequence && e.Sequence <= last && e.Group?.Decision is { } decision && End(decision, e.Sequence));
        EndIfEmpty();
        return refused > 0;

        bool End(Completion<bool> decision, long number)
        {
            var failure = number <= reasonThrough ? reason : null;
            if (failure is null)
            {
                decision.TrySetResult(false);
            }
            else
            {
                decision.TrySetFaulted(failure);
            }

            (Refused ??= new()).Add(number, isCertain: failure is not GeoOutcomeUnknownException);
            return true;
        }
    }

    private void Remove(int count, Action<Completion<bool>> decide)
    {
        for (var i = 0; i < count; i++)
        {
            if (_entries[i].Group?.Decision is { } decision)
            {
                decide(decision);
            }
        }

        _entries.RemoveRange(0, count);
        EndIfEmpty();
    }

    private void Begin()
    {
        if (_entries == None)
        {
            _entries = Spare<List<Entry>>.Take();
        }
    }

    private void EndIfEmpty()
    {
        if (_entries.Count == 0 && _entries != None)
        {
            Spare<List<Entry>>.Give(_entries, isSmall: _entries.Capacity <= MaxSpare);
            _entries = None;
        }
    }

    /// <exception cref="GeoUnavailableException">So many more do not fit.</exception>
    internal void CheckRoom(int added)
    {
        if (added > maxBatch)
        {
            throw new GeoUnavailableException(
                $"{added} updates of {grain} were to be enqueued together; at most {maxBatch} fit into one write (option MaxBatch). "
                + "Nothing was enqueued; enqueue fewer at a time.");
        }

        if (_entries.Count + added > maxPending)
        {
            throw new GeoUnavailableException(
                $"The view of {grain} holds {_entries.Count} unconfirmed updates and takes at most {maxPending} (option MaxPending). "
                + "Nothing was enqueued; await ConfirmAsync before enqueuing more.");
        }
    }

    private readonly record struct Entry(TUpdate Update, long Sequence, UpdateGroup? Group);
}
