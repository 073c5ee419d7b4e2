namespace Geo.Messaging;

/// <summary>
/// A stretch in which one pool thread runs users' code for a lane: handlers, or what follows replies. What that code sends wakes no writer
/// message by message; the writers are woken once, at the burst's end or after <see cref="Slice"/>, and send on this very thread. Code that
/// blocks the thread delays what was sent before it by no more than two periods of the <see cref="BurstWatch"/>.
/// </summary>
internal sealed class Burst(TimeProvider time)
{
    /// <summary>How long sends are gathered, and how long a burst goes on alone when it may be helped.</summary>
    public static readonly TimeSpan Slice = TimeSpan.FromMicroseconds(250);

    // A look at the clock costs as much as a small piece of code.
    private const int StepsPerLook = 4;

    [ThreadStatic]
    private static Burst? _current;

    private readonly Lock _lock = new();
    private List<OutboundQueue> _held = [];
    private List<OutboundQueue> _flushing = [];
    private OutboundQueue? _last;
    private Action? _stuck;
    private volatile bool _released;
    private bool _flushSoon;
    private long _sliceBegan;
    private long _steps;

    public static Burst? Current => _current;

    /// <summary>Grows whenever the burst makes progress.</summary>
    public long Steps => Volatile.Read(ref _steps);

    /// <summary>The watch's own: what <see cref="Steps"/> was when it last looked.</summary>
    public long SeenSteps { get; set; } = -1;

    /// <inheritdoc cref="BurstWatch.Begin"/>
    public void Begin(Action? stuck)
    {
        _stuck = stuck;
        _released = false;
        _sliceBegan = time.GetTimestamp();
        Volatile.Write(ref _steps, _steps + 1);
        _current = this;
    }

    /// <summary>Sends what is held back after this piece of users' code. For the burst's own thread.</summary>
    public void FlushSoon() => _flushSoon = true;

    /// <returns>True when a slice of time has passed.</returns>
    public bool Step()
    {
        var steps = _steps + 1;
        Volatile.Write(ref _steps, steps);
        if (_flushSoon)
        {
            Flush();
        }

        if (steps % StepsPerLook != 0 || time.GetElapsedTime(_sliceBegan) < Slice)
        {
            return false;
        }

        Flush();
        _sliceBegan = time.GetTimestamp();
        return true;
    }

    public void End()
    {
        Flush();
        (_current, _stuck) = (null, null);
    }

    /// <summary>Takes it over to wake the writer of a queue. For the burst's own thread.</summary>
    /// <returns>False when the caller must wake it.</returns>
    public bool TryHold(OutboundQueue queue)
    {
        if (_released)
        {
            return false;
        }

        if (ReferenceEquals(_last, queue))
        {
            return true;
        }

        lock (_lock)
        {
            if (_released)
            {
                return false;
            }

            if (!_held.Contains(queue))
            {
                _held.Add(queue);
            }
        }

        _last = queue;
        return true;
    }

    /// <summary>Wakes the writers in the stead of a burst that is held up. For the watch.</summary>
    public void Release()
    {
        lock (_lock)
        {
            _released = true;
            foreach (var queue in _held)
            {
                queue.Wake(here: false);
            }

            _held.Clear();
        }

        _stuck?.Invoke();
    }

    private void Flush()
    {
        _last = null;
        _flushSoon = false;
        lock (_lock)
        {
            _released = false;
            if (_held.Count == 0)
            {
                return;
            }

            (_held, _flushing) = (_flushing, _held);
        }

        // Writers go on here, without what users' code may have left behind on the thread.
        SynchronizationContext.SetSynchronizationContext(null);
        _current = null;
        foreach (var queue in _flushing)
        {
            queue.Wake(here: true);
        }

        _flushing.Clear();
        _current = this;
    }
}
