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
    private int _waiting;

    /// <summary>A grain was taken. Ends when it has been looked at; never throws.</summary>
    public async Task WaitAsync(GrainKey key, long tenancy, CancellationToken cancellationToken)
    {
        try
        {
            if (Interlocked.Increment(ref _waiting) <= most)
            {
                await Task.Delay(HomeRules.Stay, time, cancellationToken);
                await giveUp(key, tenancy, cancellationToken);
            }
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            failed(key, e);
        }
        catch (OperationCanceledException)
        {
            // The silo ends.
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }
}
