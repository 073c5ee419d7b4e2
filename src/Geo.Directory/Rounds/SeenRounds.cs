namespace Geo.Directory;

/// <summary>
/// Since when this silo has seen rounds that it does not run. The deadline in a row is a time on the wall of the silo that wrote it; where
/// that clock was ahead, or has been set back since, a round is over nevertheless when it has been seen for as long as it may last.
/// </summary>
/// <param name="lifetime">How long a round may last.</param>
/// <param name="memory">How long a round is remembered at least since it was last asked about: longer than between two looks at it.</param>
/// <param name="capacity">How many rounds are remembered at least; beyond twice as many the oldest are forgotten, and seen anew.</param>
/// <param name="time">The clock, of which the monotonic time counts.</param>
internal sealed class SeenRounds(TimeSpan lifetime, TimeSpan memory, int capacity, TimeProvider time)
{
    private readonly Lock _lock = new();
    private Dictionary<long, long> _present = [];
    private Dictionary<long, long> _former = [];
    private long _turnedAt = time.GetTimestamp();

    /// <summary>Whether a round has been seen for its lifetime; the first time that it is asked about it is seen.</summary>
    public bool IsOver(long round)
    {
        lock (_lock)
        {
            if (_present.Count >= capacity || time.GetElapsedTime(_turnedAt) > memory)
            {
                (_former, _present, _turnedAt) = (_present, [], time.GetTimestamp());
            }

            if (!_present.TryGetValue(round, out var since))
            {
                since = _former.TryGetValue(round, out var former) ? former : time.GetTimestamp();
                _present.Add(round, since);
            }

            return time.GetElapsedTime(since) >= lifetime;
        }
    }
}
