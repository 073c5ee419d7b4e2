using Geo.Consistency;

namespace Geo.Orleans;

/// <summary>
/// One wait for a journal: it ends when the call that waits has been given up, because its time is up or its caller cancelled it.
/// </summary>
internal sealed class JournalWait : IViewWait
{
    private readonly CancellationTokenSource _limit;
    private readonly CancellationTokenSource? _linked;
    private readonly JournalWaits? _waits;
    private readonly WatchedRequest? _request;

    public JournalWait(JournalWaits? waits, TimeSpan timeout, TimeProvider time)
    {
        _waits = waits;
        _request = waits?.Present;
        _limit = new(LongestWait.Clamp(_request?.GetDefaultResponseTimeout() ?? timeout), time);
        if (_request?.GetCancellationToken() is { CanBeCanceled: true } cancellation)
        {
            _linked = CancellationTokenSource.CreateLinkedTokenSource(_limit.Token, cancellation);
        }

        if (_request is not null)
        {
            waits!.Begin(_request);
        }
    }

    /// <inheritdoc/>
    public CancellationToken GivenUp => (_linked ?? _limit).Token;

    /// <inheritdoc/>
    public bool IsOverdue => _limit.IsCancellationRequested;

    public void Dispose()
    {
        if (_request is not null)
        {
            _waits!.End(_request);
        }

        _linked?.Dispose();
        _limit.Dispose();
    }
}
