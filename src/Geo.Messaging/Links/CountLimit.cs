namespace Geo.Messaging;

/// <summary>How many of something there may be at once, over all lanes of a link. Safe to use from any thread.</summary>
internal sealed class CountLimit(int most)
{
    private int _count;

    /// <summary>How many there are; one more for a moment while one too many is turned away.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Counts some more; false when there would be more than may be.</summary>
    public bool TryEnter(int count = 1)
    {
        if (Interlocked.Add(ref _count, count) <= most)
        {
            return true;
        }

        Leave(count);
        return false;
    }

    public void Leave(int count = 1) => Interlocked.Add(ref _count, -count);
}
