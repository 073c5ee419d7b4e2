namespace Geo.Embedded;

/// <summary>
/// A wheel of deadlines: adding and removing one costs a short lock and no timer, so that every call can have a time-out. They expire up
/// to one resolution late. A wheel on which nothing waits stands still, so that an idle process is not woken.
/// </summary>
internal sealed class Deadlines : IDisposable
{
    private const int Slots = 512;

    // Neighbours in time have different ones.
    private const int LockCount = 64;

    private readonly TimeProvider _time;
    private readonly long _ticksPerSlot;
    private readonly Deadline?[] _heads = new Deadline?[Slots];
    private readonly Lock[] _locks = new Lock[LockCount];
    private readonly Lock _turning = new();
    private readonly TimeSpan _resolution;
    private readonly ITimer _timer;
    private long _turned;

    // Changes under _turning.
    private volatile bool _turns;

    public Deadlines(TimeProvider time, TimeSpan resolution)
    {
        (_time, _resolution) = (time, resolution);
        _ticksPerSlot = Math.Max(1, (long)(resolution.TotalSeconds * time.TimestampFrequency));
        _turned = time.GetTimestamp() / _ticksPerSlot;
        for (var i = 0; i < LockCount; i++)
        {
            _locks[i] = new Lock();
        }

        _timer = time.CreateTimer(static wheel => ((Deadlines)wheel!).Turn(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The clock.</summary>
    public TimeProvider Time => _time;

    /// <summary>The timestamp a time from now.</summary>
    public long After(TimeSpan wait) => _time.GetTimestamp() + (long)(wait.TotalSeconds * _time.TimestampFrequency);

    /// <summary>The time until a timestamp; negative when it has passed.</summary>
    public TimeSpan Until(long dueAt) => TimeSpan.FromSeconds((dueAt - _time.GetTimestamp()) / (double)_time.TimestampFrequency);

    /// <summary>Begins to wait; a deadline that has passed expires before this returns.</summary>
    public void Add(Deadline deadline, long dueAt)
    {
        // One slot further than the due time falls into: a slot is only taken when all its times have passed.
        var slot = (int)(((dueAt / _ticksPerSlot) + 1) & (Slots - 1));
        lock (LockOf(slot))
        {
            deadline.DueAt = dueAt;
            deadline.Slot = slot;
            deadline.Previous = null;
            deadline.Next = _heads[slot];
            if (deadline.Next is { } next)
            {
                next.Previous = deadline;
            }

            _heads[slot] = deadline;
        }

        // Either this sees that the wheel stands still, or the wheel, about to stop, sees the deadline.
        Interlocked.MemoryBarrier();
        if (!_turns)
        {
            Wake();
        }

        // The wheel may have passed the slot, if the caller lost its processor since it read the clock: nobody would look there for a
        // whole round.
        if (dueAt <= _time.GetTimestamp() && Remove(deadline))
        {
            deadline.Expire();
        }
    }

    /// <summary>Stops waiting; false when the deadline has expired, or never waited.</summary>
    public bool Remove(Deadline deadline)
    {
        var slot = deadline.Slot;
        if (slot < 0)
        {
            return false;
        }

        lock (LockOf(slot))
        {
            if (deadline.Slot != slot)
            {
                return false;
            }

            Unlink(deadline, slot);
            return true;
        }
    }

    /// <summary>Lets the deadline expire earlier, if it still waits.</summary>
    public void Shorten(Deadline deadline, long dueAt)
    {
        if (deadline.DueAt > dueAt && Remove(deadline))
        {
            Add(deadline, dueAt);
        }
    }

    public void Dispose() => _timer.Dispose();

    private Lock LockOf(int slot) => _locks[slot & (LockCount - 1)];

    private void Wake()
    {
        lock (_turning)
        {
            if (!_turns)
            {
                _turns = true;
                _timer.Change(_resolution, _resolution);
            }
        }
    }

    private void Turn()
    {
        List<Deadline>? expired = null;
        lock (_turning)
        {
            var now = _time.GetTimestamp();
            var present = now / _ticksPerSlot;
            for (var turn = Math.Max(_turned + 1, present - Slots + 1); turn <= present; turn++)
            {
                Collect((int)(turn & (Slots - 1)), now, ref expired);
            }

            _turned = Math.Max(_turned, present);
            StopIfEmpty();
        }

        foreach (var deadline in expired ?? [])
        {
            deadline.Expire();
        }
    }

    private void StopIfEmpty()
    {
        if (!IsEmpty())
        {
            return;
        }

        _turns = false;
        Interlocked.MemoryBarrier();
        if (IsEmpty())
        {
            _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
        else
        {
            _turns = true;
        }
    }

    /// <summary>True when nothing waits, as far as can be seen without the locks.</summary>
    private bool IsEmpty()
    {
        foreach (var head in _heads)
        {
            if (head is not null)
            {
                return false;
            }
        }

        return true;
    }

    private void Collect(int slot, long now, ref List<Deadline>? expired)
    {
        lock (LockOf(slot))
        {
            for (var deadline = _heads[slot]; deadline is not null;)
            {
                var next = deadline.Next;
                if (deadline.DueAt <= now)
                {
                    Unlink(deadline, slot);
                    (expired ??= []).Add(deadline);
                }

                deadline = next;
            }
        }
    }

    private void Unlink(Deadline deadline, int slot)
    {
        if (deadline.Previous is { } previous)
        {
            previous.Next = deadline.Next;
        }
        else
        {
            _heads[slot] = deadline.Next;
        }

        if (deadline.Next is { } next)
        {
            next.Previous = deadline.Previous;
        }

        deadline.Previous = deadline.Next = null;
        deadline.Slot = -1;
    }
}
