namespace Geo.Messaging;

/// <summary>
/// What one lane has of a peer's share, taken some at a time: small messages would else all meet at the node's one lock. To be used under
/// its owner's lock.
/// </summary>
internal sealed class LaneShare(NodeBudget.Share share)
{
    private const int AtOnce = 16 * 1024;

    private long _taken;
    private long _used;
    private bool _closed;

    public bool TryTake(int bytes)
    {
        var missing = _used + bytes - _taken;
        if (missing > 0)
        {
            var more = Math.Max(missing, AtOnce);
            if (!share.TryTake(more) && !share.TryTake(more = missing))
            {
                return false;
            }

            _taken += more;
        }

        _used += bytes;
        return true;
    }

    public void Return(long bytes)
    {
        _used -= bytes;

        // An idle lane keeps nothing: many of them would have all there is.
        var kept = _closed || _used == 0 ? 0 : AtOnce;
        if (_taken - _used > kept && (kept == 0 || _taken - _used >= 2 * AtOnce))
        {
            share.Return(_taken - _used - kept);
            _taken = _used + kept;
        }
    }

    /// <summary>Keeps nothing at hand any more.</summary>
    public void Close()
    {
        _closed = true;
        Return(0);
    }

    public void Clear()
    {
        _closed = true;
        Return(_used);
    }
}
