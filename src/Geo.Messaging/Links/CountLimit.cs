namespace Geo.Messaging;

/// <summary>How many of something there may be at once, over all lanes of a link. Safe to use from any thread.</summary>
internal sealed class CountLimit(int most)
{
    private int _count;

    /// <summary>How many there are; one more for a moment while one too many is turned away.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Counts one more; false when there would be more than may be.</summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _count) <= most)
        {
            return true;
        }

        Leave();
        return false;
    }

    public void Leave() => Interlocked.Decrement(ref _count);
}
