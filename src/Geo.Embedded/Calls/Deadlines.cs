namespace Geo.Embedded;

/// <summary>
/// A wheel of deadlines: adding and removing one costs a short lock and no timer, so that every call can have a time-out. They expire up
/// to one resolution late.
/// </summary>
internal sealed class Deadlines : IDisposable
{
    private const int Slots = 512;

    private readonly TimeProvider _time;
    private readonly long _ticksPerSlot;
    private readonly Deadline?[] _heads = new Deadline?[Slots];
    private readonly Lock[] _locks = new Lock[Slots];
    private readonly Lock _turning = new();
    private readonly ITimer _timer;
    private long _turned;

    public Deadlines(TimeProvider time, TimeSpan resolution)
    {
        _time = time;
        _ticksPerSlot = Math.Max(1, (long)(resolution.TotalSeconds * time.TimestampFrequency));
        _turned = time.GetTimestamp() / _ticksPerSlot;
        for (var i = 0; i < Slots; i++)
        {
            _locks[i] = new Lock();
        }

        _timer = time.CreateTimer(static wheel => ((Deadlines)wheel!).Turn(), this, resolution, resolution);
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
        lock (_locks[slot])
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

        lock (_locks[slot])
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
        }

        foreach (var deadline in expired ?? [])
        {
            deadline.Expire();
        }
    }

    private void Collect(int slot, long now, ref List<Deadline>? expired)
    {
        lock (_locks[slot])
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
