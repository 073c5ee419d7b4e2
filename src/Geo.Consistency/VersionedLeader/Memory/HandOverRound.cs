namespace Geo.Consistency;

/// <summary>Some grains whose leaders hand over at one time.</summary>
/// <param name="count">How many; the round is over when so many are led elsewhere.</param>
/// <param name="end">Set when it is over in any case.</param>
internal sealed class HandOverRound(int count, CancellationToken end)
{
    private readonly Completion<bool> _all = new(end);
    private int _left = count;

    /// <summary>Ends when all are led elsewhere, or when the time is up.</summary>
    internal async Task EndAsync()
    {
        try
        {
            await _all.Task;
        }
        catch (OperationCanceledException)
        {
            // Those that are left have another round.
        }
    }

    /// <summary>One more is led elsewhere, or needs nothing.</summary>
    internal void Arrived()
    {
        if (Interlocked.Decrement(ref _left) == 0)
        {
            _all.TrySetResult(true);
        }
    }
}
