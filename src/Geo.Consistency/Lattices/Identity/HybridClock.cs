namespace Geo.Consistency.Lattices;

/// <summary>
/// The clock of a source: as late as its physical clock, and later than every stamp that it gave or saw. Where wall clocks alone lose a
/// write that was made after, but on a machine whose clock is behind, a hybrid clock does not, once the write before was seen. For one
/// thread at a time.
/// </summary>
/// <param name="time">The physical clock.</param>
/// <param name="source">The source; no other clock may have it.</param>
/// <param name="maxAhead">How far beyond the physical clock a stamp may be; 5 minutes when null.</param>
public sealed class HybridClock(TimeProvider time, ReplicaId source, TimeSpan? maxAhead = null)
{
    private readonly TimeSpan _maxAhead = maxAhead ?? TimeSpan.FromMinutes(5);
    private ulong _last;
    private ulong _lastAhead;

    /// <summary>The source of the stamps.</summary>
    public ReplicaId Source => source;

    /// <summary>A stamp that is not earlier than any that was given or seen.</summary>
    public Stamp Latest => new(_last, source);

    /// <summary>A stamp after all that were given and seen.</summary>
    public Stamp Next()
    {
        _last = Math.Max(Now() << 16, _last + 1);
        return new(_last, source);
    }

    /// <summary>
    /// Moves the clock behind a stamp that was received or read. A stamp too far ahead moves nothing: one machine with a wrong clock
    /// would move all the others with it. What is written over it alone is later (<see cref="Next(ulong)"/>).
    /// </summary>
    /// <returns>False when the stamp is too far ahead.</returns>
    public bool TrySee(Stamp stamp)
    {
        if (stamp.Milliseconds > (long)Now() + (long)_maxAhead.TotalMilliseconds)
        {
            return false;
        }

        _last = Math.Max(_last, stamp.Time);
        return true;
    }

    /// <summary>
    /// A stamp after all that were given and seen, and after a time that may be too far ahead: it then moves this stamp, and not the clock.
    /// </summary>
    /// <exception cref="OverflowException">There is no later time.</exception>
    internal Stamp Next(ulong after)
    {
        var next = Next();
        if (next.Time > after)
        {
            return next;
        }

        _lastAhead = checked(Math.Max(_lastAhead, after) + 1);
        return next with { Time = _lastAhead };
    }

    private ulong Now() => (ulong)Math.Max(0, time.GetUtcNow().ToUnixTimeMilliseconds());
}
