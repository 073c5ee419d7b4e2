using System.Net.Sockets;

namespace Geo.Messaging;

/// <summary>
/// Looks for a moment whether something arrives before a receive waits for the system's notification: between processes of one machine the
/// notification and the change of threads behind it take longer than the answer. Looks give way to other threads, and stop being tried, for
/// ever longer, where they do not help. For one receive at a time.
/// </summary>
internal sealed class ReceivePolling(Socket socket)
{
    // Some 50 microseconds where no other thread wants the processor.
    private const int MostLooks = 64;

    private const int MostSkipped = 256;

    private int _skip;
    private int _skipAfterNext = 1;

    /// <summary>Returns when something has arrived, or it is time to wait for it.</summary>
    public void Look()
    {
        if (_skip > 0)
        {
            _skip--;
            return;
        }

        for (var look = 0; look < MostLooks; look++)
        {
            if (socket.Available > 0)
            {
                _skipAfterNext = 1;
                return;
            }

            Thread.Yield();
        }

        _skip = _skipAfterNext;
        _skipAfterNext = Math.Min(2 * _skipAfterNext, MostSkipped);
    }
}
