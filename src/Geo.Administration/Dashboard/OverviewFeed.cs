namespace Geo.Administration;

/// <summary>One overview a second for all who watch.</summary>
internal sealed class OverviewFeed(Overviews overviews, TimeProvider time)
{
    /// <summary>How old the overview is at most that somebody is given.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private Task<Overview>? _reading;
    private long _begunAt;

    /// <exception cref="GeoUnavailableException">The silo has not started, or stops.</exception>
    public Task<Overview> ReadAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_reading is null || (_reading.IsCompleted && time.GetElapsedTime(_begunAt) >= Interval))
            {
                // For all who wait for it; it ends by itself.
                (_reading, _begunAt) = (overviews.ReadAsync(CancellationToken.None), time.GetTimestamp());
            }

            return _reading.WaitAsync(cancellationToken);
        }
    }
}
