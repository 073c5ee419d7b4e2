namespace Geo.Messaging.Overlays;

/// <summary>
/// Runs what it is given one at a time and in order, on the thread of whoever gave it while nothing else runs: no thread of its own, so
/// that a simulation stays on one.
/// </summary>
internal sealed class OverlayMailbox
{
    private readonly Lock _lock = new();
    private readonly Queue<Action> _waiting = new();
    private bool _running;

    /// <summary>Runs an action now, or after those before it.</summary>
    /// <param name="action">What to run; must not throw.</param>
    /// <param name="limit">The most actions that may wait.</param>
    /// <returns>False when as many wait already.</returns>
    public bool Post(Action action, int limit = int.MaxValue)
    {
        lock (_lock)
        {
            if (_waiting.Count >= limit)
            {
                return false;
            }

            _waiting.Enqueue(action);
            if (_running)
            {
                return true;
            }

            _running = true;
        }

        while (true)
        {
            Action? next;
            lock (_lock)
            {
                if (!_waiting.TryDequeue(out next))
                {
                    _running = false;
                    return true;
                }
            }

            next();
        }
    }
}
