namespace Geo;

/// <summary>
/// The operations that are not waited for any more and have not ended, of which there are only so many. While there are as many, one is
/// begun now and then to find out whether the other side works again; when one ends in time it does, and what still hangs is written off:
/// a client whose connection fell silent may never end it.
/// </summary>
/// <param name="most">How many.</param>
/// <param name="time">The clock.</param>
internal sealed class AbandonedOperations(int most, TimeProvider time)
{
    // The time between two tries doubles from the first to the last, so that what they leave behind stays small: 1,440 a day.
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1);

    /// <summary>The longest time between two tries: so much later may one find the other side again than another does.</summary>
    public static readonly TimeSpan LastPause = TimeSpan.FromMinutes(1);

    private readonly Lock _gate = new();
    private int _count;
    private int _writtenOff;
    private long _triedAt;
    private int _tries;

    /// <summary>How many there may be.</summary>
    public int Most => most;

    /// <summary>So much later than its end one may find out that an outage is over: the time between two tries is never longer.</summary>
    public static TimeSpan LongestPauseAfter(TimeSpan outage) => outage < LastPause - FirstPause ? outage + FirstPause : LastPause;

    /// <summary>True where a further operation may be begun.</summary>
    public bool MayBegin()
    {
        if (Volatile.Read(ref _count) < most)
        {
            return true;
        }

        lock (_gate)
        {
            if (_count >= most && time.GetElapsedTime(_triedAt) < BackOff.Doubled(_tries, FirstPause, LastPause))
            {
                return false;
            }

            (_triedAt, _tries) = (time.GetTimestamp(), _tries + 1);
            return true;
        }
    }

    /// <summary>An operation has ended in time.</summary>
    public void Ended()
    {
        if (Volatile.Read(ref _count) >= most)
        {
            lock (_gate)
            {
                (_count, _writtenOff) = (0, _writtenOff + 1);
            }
        }
    }

    /// <summary>Counts an operation until it has ended, or is written off. Never throws.</summary>
    public async Task AddAsync(Task operation)
    {
        int writtenOff;
        lock (_gate)
        {
            writtenOff = _writtenOff;
            if (++_count == most)
            {
                (_triedAt, _tries) = (time.GetTimestamp(), 1);
            }
        }

        await Patience.EndAsync(operation);
        lock (_gate)
        {
            _count -= writtenOff == _writtenOff ? 1 : 0;
        }
    }
}
