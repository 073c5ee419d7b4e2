namespace Geo.Messaging.Overlays;

/// <summary>
/// Runs what it is given one at a time and in order, on the thread of whoever gave it while nothing else runs: no thread of its own, so
/// that a simulation stays on one. Bounded, for what asks for it, in number and in the bytes that actions hold.
/// </summary>
/// <param name="maxWaiting">The most bounded actions that may wait while another runs.</param>
/// <param name="maxBytes">The most bytes that they may hold, or those of one.</param>
/// <param name="failed">Told what an action threw, which may be another's than the caller's.</param>
internal sealed class OverlayMailbox(int maxWaiting, long maxBytes, Action<Exception> failed)
{
    private readonly Lock _lock = new();
    private readonly Queue<(Action Run, int Bytes)> _waiting = new();
    private long _bytes;
    private bool _running;

    /// <summary>Runs an action now, or after those before it.</summary>
    /// <param name="action">What to run.</param>
    public void Post(Action action) => TryPost(action, 0, isBounded: false);

    /// <summary>Runs an action now, or after those before it, unless too much waits.</summary>
    /// <param name="action">What to run.</param>
    /// <param name="bytes">The bytes that it holds until it has run.</param>
    /// <returns>False when too much waits.</returns>
    public bool TryPost(Action action, int bytes) => TryPost(action, bytes, isBounded: true);

    private bool TryPost(Action action, int bytes, bool isBounded)
    {
        lock (_lock)
        {
            if (isBounded && (_waiting.Count >= maxWaiting || (_bytes > 0 && _bytes + bytes > maxBytes)))
            {
                return false;
            }

            _bytes += bytes;
            _waiting.Enqueue((action, bytes));
            if (_running)
            {
                return true;
            }

            _running = true;
        }

        RunAll();
        return true;
    }

    private void RunAll()
    {
        var bytes = 0;
        while (true)
        {
            Action next;
            lock (_lock)
            {
                _bytes -= bytes;
                if (!_waiting.TryDequeue(out var waiting))
                {
                    _running = false;
                    return;
                }

                (next, bytes) = waiting;
            }

            try
            {
                next();
            }
#pragma warning disable CA1031 // One that fails must not keep the mailbox, which others use, from going on.
            catch (Exception e)
#pragma warning restore CA1031
            {
                Tell(e, bytes);
            }
        }
    }

    private void Tell(Exception fault, int bytes)
    {
        try
        {
            failed(fault);
        }
        catch
        {
            // Whoever runs it next finds it as it is when nothing runs.
            lock (_lock)
            {
                _bytes -= bytes;
                _running = false;
            }

            throw;
        }
    }
}
