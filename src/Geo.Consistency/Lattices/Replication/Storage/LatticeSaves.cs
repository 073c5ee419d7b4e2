namespace Geo.Consistency.Lattices;

/// <summary>
/// Which grains have changes that their store lacks, and when each is to be written: once an interval however often it changes, at once
/// where somebody waits for it, later where it failed. Not thread-safe.
/// </summary>
internal sealed class LatticeSaves(LatticeOptions options)
{
    // What is not of the cell's present due time any more is passed over.
    private readonly PriorityQueue<LatticeCell, (TimeSpan DueAt, long Order)> _queue = new();
    private long _order;
    private int _writing;
    private int _changed;

    /// <summary>How many grains the store may lack something of.</summary>
    internal int Dirty => _changed + _writing;

    /// <summary>When to begin the next write; null where there is none, or as many run as may.</summary>
    internal TimeSpan? DueAt => _writing < options.MaxSaving && PeekDue() is { } next ? next.Save!.DueAt : null;

    /// <summary>A grain has changed.</summary>
    internal void Changed(LatticeCell cell, TimeSpan now)
    {
        var save = cell.Save ??= new();
        if (!save.IsChanged)
        {
            save.IsChanged = true;
            _changed++;
            Schedule(cell, now + options.SaveEvery);
        }
    }

    /// <summary>Somebody waits for the grain's changes to be stored.</summary>
    internal void Hurry(LatticeCell cell, TimeSpan now)
    {
        if (cell.Save is { IsChanged: true } save && save.DueAt > now && save.Failures == 0)
        {
            Schedule(cell, now);
        }
    }

    /// <summary>All changes are to be stored as soon as can be.</summary>
    internal void HurryAll(TimeSpan now)
    {
        foreach (var (cell, _) in _queue.UnorderedItems.ToArray())
        {
            Hurry(cell, now);
        }
    }

    /// <summary>Takes the next grain to write, if one is due; its changes from now on are others.</summary>
    internal LatticeCell? Begin(TimeSpan now)
    {
        if (_writing >= options.MaxSaving || PeekDue() is not { } cell || cell.Save!.DueAt > now)
        {
            return null;
        }

        _queue.Dequeue();
        (cell.Save.IsChanged, cell.Save.IsWriting) = (false, true);
        _changed--;
        _writing++;
        return cell;
    }

    /// <summary>A write has ended.</summary>
    internal void End(LatticeCell cell, bool isSaved, TimeSpan now)
    {
        var save = cell.Save!;
        save.IsWriting = false;
        _writing--;
        save.Failures = isSaved ? 0 : save.Failures + 1;
        if (!isSaved)
        {
            _changed += save.IsChanged ? 0 : 1;
            save.IsChanged = true;
            save.DueAt = now + options.WaitAfter(save.Failures - 1);
        }

        if (save.IsChanged)
        {
            Schedule(cell, save.DueAt);
        }
    }

    private void Schedule(LatticeCell cell, TimeSpan dueAt)
    {
        cell.Save!.DueAt = dueAt;
        if (!cell.Save.IsWriting)
        {
            _queue.Enqueue(cell, (dueAt, ++_order));
        }
    }

    private LatticeCell? PeekDue()
    {
        while (_queue.TryPeek(out var cell, out var place))
        {
            if (cell.Save is { IsChanged: true, IsWriting: false } save && save.DueAt == place.DueAt)
            {
                return cell;
            }

            _queue.Dequeue();
        }

        return null;
    }
}
