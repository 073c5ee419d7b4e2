namespace Geo.Messaging;

/// <summary>
/// How much of something, bytes or connections, all peers may take at a node: reserved before it is taken. A peer may hold at most as much
/// as is then still free, so that those who take all they can get leave some to the next. Safe to use from any thread.
/// </summary>
/// <param name="most">The most of it.</param>
internal sealed class NodeBudget(long most)
{
    private readonly Lock _lock = new();
    private readonly long _most = most;
    private long _held;

    public long Held => Volatile.Read(ref _held);

    /// <summary>The part of one peer.</summary>
    public Share NewShare() => new(this);

    /// <summary>What one peer holds.</summary>
    internal sealed class Share(NodeBudget all)
    {
        private long _held;

        /// <summary>True when the peer may take so much more. From any thread, as of now.</summary>
        public bool HasRoom(long more)
        {
            var free = all._most - all.Held - more;

            // The last one of all is left to who has none.
            return Volatile.Read(ref _held) + more <= free || (more == 1 && free >= 0 && Volatile.Read(ref _held) == 0);
        }

        /// <summary>Reserves more; false when there is not enough left for this peer.</summary>
        public bool TryTake(long more)
        {
            lock (all._lock)
            {
                if (!HasRoom(more))
                {
                    return false;
                }

                _held += more;
                all._held += more;
                return true;
            }
        }

        public void Return(long less)
        {
            lock (all._lock)
            {
                _held -= less;
                all._held -= less;
            }
        }
    }
}
