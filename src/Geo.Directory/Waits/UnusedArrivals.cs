namespace Geo.Directory;

/// <summary>
/// Grains that this silo has taken for another cluster, and that nobody may ever call here: each is looked at once when it has been here
/// for a minute, and given up if it has no instance.
/// </summary>
/// <param name="most">How many are remembered; those beyond stay until they are called.</param>
/// <param name="giveUp">Gives the tenancy of a grain up unless an instance runs under it.</param>
/// <param name="failed">Told of one that could not be looked at.</param>
/// <param name="time">The clock.</param>
internal sealed class UnusedArrivals(
    int most, Func<GrainKey, long, CancellationToken, ValueTask> giveUp, Action<GrainKey, Exception> failed, TimeProvider time)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(5);

    private readonly Lock _lock = new();
    private readonly Queue<(GrainKey Key, long Tenancy, long At)> _arrived = new();

    /// <summary>A grain was taken.</summary>
    public void Note(GrainKey key, long tenancy)
    {
        lock (_lock)
        {
            if (_arrived.Count < most)
            {
                _arrived.Enqueue((key, tenancy, time.GetTimestamp()));
            }
        }
    }

    /// <summary>Looks until cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                await Task.Delay(Interval, time, cancellationToken);
            }
            catch (OperationCanceledException)
            {
                return;
            }

            while (!cancellationToken.IsCancellationRequested && Due() is var (key, tenancy, _))
            {
                try
                {
                    await giveUp(key, tenancy, cancellationToken);
                }
                catch (Exception e) when (!cancellationToken.IsCancellationRequested)
                {
                    failed(key, e);
                }
                catch (OperationCanceledException)
                {
                    return;
                }
            }
        }
    }

    private (GrainKey Key, long Tenancy, long At)? Due()
    {
        lock (_lock)
        {
            return _arrived.TryPeek(out var next) && time.GetElapsedTime(next.At) >= HomeRules.Stay ? _arrived.Dequeue() : null;
        }
    }
}
