namespace Geo.Consistency;

/// <summary>A wait for some of the grains that are being handed over.</summary>
/// <param name="count">The round is over when so many are led elsewhere.</param>
/// <param name="end">Set when it is over in any case.</param>
internal sealed class HandOverRound(int count, CancellationToken end)
{
    private readonly Completion<bool> _enough = new(end);
    private int _left = count;

    /// <summary>Ends when enough are led elsewhere, or when the time is up.</summary>
    internal async Task EndAsync()
    {
        try
        {
            await _enough.Task;
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
            _enough.TrySetResult(true);
        }
    }
}
