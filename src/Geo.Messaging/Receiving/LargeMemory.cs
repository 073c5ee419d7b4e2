namespace Geo.Messaging;

/// <summary>
/// The memory that the large messages of all peers may take at a node: reserved before it is taken. A peer may hold at most as many bytes
/// as are still free, so that those who take all they can get leave some to the next. Safe to use from any thread.
/// </summary>
/// <param name="maxBytes">The most bytes.</param>
internal sealed class LargeMemory(long maxBytes)
{
    private readonly Lock _lock = new();
    private readonly long _max = maxBytes;
    private long _held;

    public long HeldBytes => Volatile.Read(ref _held);

    /// <summary>The part of one peer.</summary>
    public Share NewShare() => new(this);

    /// <summary>What one peer holds.</summary>
    internal sealed class Share(LargeMemory all)
    {
        private long _held;

        /// <summary>Reserves bytes; false when there are not enough left for this peer.</summary>
        public bool TryTake(long bytes)
        {
            lock (all._lock)
            {
                if (_held + bytes > all._max - all._held)
                {
                    return false;
                }

                _held += bytes;
                all._held += bytes;
                return true;
            }
        }

        public void Return(long bytes)
        {
            lock (all._lock)
            {
                _held -= bytes;
                all._held -= bytes;
            }
        }
    }
}
