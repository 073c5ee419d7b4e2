namespace Geo.Directory;

/// <summary>The operations that are not waited for any more and have not ended, of which there are only so many.</summary>
/// <param name="most">How many.</param>
internal sealed class AbandonedOperations(int most)
{
    private int _count;

    /// <summary>True while no further operation may be begun.</summary>
    public bool IsFull => Volatile.Read(ref _count) >= most;

    /// <summary>Counts an operation until it has ended. Never throws.</summary>
    public async Task AddAsync(Task operation)
    {
        Interlocked.Increment(ref _count);
        await Patience.EndAsync(operation);
        Interlocked.Decrement(ref _count);
    }
}
