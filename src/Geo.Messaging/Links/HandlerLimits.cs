namespace Geo.Messaging;

/// <summary>
/// How many handlers may run for each peer, whichever link started them: a peer that comes back while handlers of its last link run finds
/// those counted. Safe to use from any thread.
/// </summary>
/// <param name="most">The most for one peer.</param>
internal sealed class HandlerLimits(int most)
{
    private const int FirstSweep = 1024;

    private readonly Lock _lock = new();

    // Alive as long as a link of the peer, or a handler that one started.
    private readonly Dictionary<PeerId, WeakReference<CountLimit>> _byPeer = [];
    private int _nextSweep = FirstSweep;

    public CountLimit Of(PeerId peer)
    {
        lock (_lock)
        {
            if (_byPeer.TryGetValue(peer, out var known) && known.TryGetTarget(out var limit))
            {
                return limit;
            }

            if (_byPeer.Count >= _nextSweep)
            {
                Sweep();
            }

            limit = new CountLimit(most);
            _byPeer[peer] = new WeakReference<CountLimit>(limit);
            return limit;
        }
    }

    private void Sweep()
    {
        foreach (var (peer, limit) in _byPeer)
        {
            if (!limit.TryGetTarget(out _))
            {
                _byPeer.Remove(peer);
            }
        }

        _nextSweep = Math.Max(FirstSweep, 2 * _byPeer.Count);
    }
}
