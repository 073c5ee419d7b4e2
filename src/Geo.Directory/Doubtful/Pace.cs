namespace Geo.Directory;

/// <summary>Holds a scan to so many rows a second, in small batches, so that what runs beside it is not held up.</summary>
internal sealed class Pace(int rowsPerSecond, TimeProvider time)
{
    private readonly int _batch = Math.Clamp(rowsPerSecond / 8, 1, 256);
    private long _begun = time.GetTimestamp();
    private int _rows;

    /// <summary>Counts a row, and waits when the rows of a batch came faster than allowed.</summary>
    public async ValueTask NextAsync(CancellationToken cancellationToken)
    {
        if (++_rows < _batch)
        {
            return;
        }

        var early = TimeSpan.FromSeconds((double)_rows / rowsPerSecond) - time.GetElapsedTime(_begun);
        if (early > TimeSpan.Zero)
        {
            await Task.Delay(early, time, cancellationToken);
        }

        (_rows, _begun) = (0, time.GetTimestamp());
    }
}
