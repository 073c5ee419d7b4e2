namespace Geo.Directory;

/// <summary>
/// Lets one silo of the cluster scan at a time: a row says when the last scan began and until when its silo may still be at it. Nothing
/// but the work depends on it: two silos that scan at once do no harm.
/// </summary>
internal sealed class ScanTurn(string rowKey, IConditionalStore store, GlobalDirectoryOptions options, TimeProvider time)
{
    private const int RowBytes = 2 * sizeof(long);

    private ETag? _mine;
    private DateTimeOffset _began;
    private DateTimeOffset _until;

    /// <summary>Takes the turn.</summary>
    /// <param name="since">If no scan began since then.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Null when it is this silo's turn; otherwise how long to wait before the next try.</returns>
    public async ValueTask<TimeSpan?> TryTakeAsync(DateTimeOffset since, CancellationToken cancellationToken)
    {
        var read = await store.ReadAsync(rowKey, cancellationToken);
        if (read.Outcome == StoreReadOutcome.Unknown)
        {
            return options.ResolveInterval;
        }

        // A time far ahead comes from a clock that is wrong, or a row that is damaged: it binds nobody.
        var now = time.GetUtcNow();
        var (began, until) = Decode(read);
        if (until > now && until <= now + options.ScanTurn)
        {
            return Least(until - now, options.ResolveInterval);
        }

        if (began >= since && began <= now)
        {
            return Least(began + options.ScanInterval - now, options.ScanInterval);
        }

        _began = now;
        return await WriteAsync(read.ETag, now + options.ScanTurn, cancellationToken) ? null : options.ResolveInterval;
    }

    /// <summary>To be called while the scan goes on, often.</summary>
    /// <returns>False when another silo has taken the turn, for this one was silent for too long.</returns>
    public async ValueTask<bool> KeepAsync(CancellationToken cancellationToken)
    {
        var now = time.GetUtcNow();
        if (_until - now > options.ScanTurn / 2)
        {
            return true;
        }

        if (await WriteAsync(_mine, now + options.ScanTurn, cancellationToken))
        {
            return true;
        }

        // Lost, or of unknown outcome: the row tells, if the store does.
        var read = await store.ReadAsync(rowKey, cancellationToken);
        _mine = read.ETag ?? _mine;
        return read.Outcome == StoreReadOutcome.Unknown || Decode(read).Began == _began;
    }

    /// <summary>The scan has ended.</summary>
    public async ValueTask EndAsync(CancellationToken cancellationToken) =>
        _ = await WriteAsync(_mine, time.GetUtcNow(), cancellationToken);

    private static TimeSpan Least(TimeSpan one, TimeSpan other) => one < other ? one : other;

    private static (DateTimeOffset Began, DateTimeOffset Until) Decode(StoreRead read)
    {
        if (read.Outcome != StoreReadOutcome.Found || read.Value.Length != RowBytes)
        {
            return default;
        }

        return (Time(BitConverter.ToInt64(read.Value.Span)), Time(BitConverter.ToInt64(read.Value.Span[sizeof(long)..])));

        static DateTimeOffset Time(long ticks) =>
            ticks >= 0 && ticks <= DateTimeOffset.MaxValue.UtcTicks ? new(ticks, TimeSpan.Zero) : default;
    }

    /// <summary>A write that is not known to be applied is taken for lost: the turn then passes when its time is over.</summary>
    private async ValueTask<bool> WriteAsync(ETag? expected, DateTimeOffset until, CancellationToken cancellationToken)
    {
        var row = new byte[RowBytes];
        BitConverter.TryWriteBytes(row, _began.UtcTicks);
        BitConverter.TryWriteBytes(row.AsSpan(sizeof(long)), until.UtcTicks);
        var written = await store.WriteAsync(rowKey, row, expected, cancellationToken);
        if (written.Outcome == StoreWriteOutcome.Applied)
        {
            (_mine, _until) = (written.ETag, until);
            return true;
        }

        return false;
    }
}
