namespace Geo.Messaging;

/// <summary>
/// How much of something, bytes or connections, all peers may take at a node: reserved before it is taken. A peer may hold at most as much
/// as is then still free, so that those who take all they can get leave some to the next. Safe to use from any thread.
/// </summary>
/// <param name="most">The most of it.</param>
internal sealed class NodeBudget(long most)
{
    private readonly Lock _lock = new();

    // Kept alive: of a peer whose handler never ends nothing else may be left.
    private readonly HashSet<object> _holders = [];
    private long _held;

    public long Held => Volatile.Read(ref _held);

    public long Most { get; } = most;

    public Share NewShare(object holder) => new(this, holder);

    internal sealed class Share(NodeBudget all, object holder)
    {
        private long _held;

        /// <summary>True when the peer may take so much more. From any thread, as of now.</summary>
        /// <param name="more">How much.</param>
        /// <param name="credit">What it gives back for it.</param>
        public bool HasRoom(long more, long credit = 0)
        {
            var held = Volatile.Read(ref _held) - credit;
            var free = all.Most - all.Held + credit - more;

            // Who gives back as much as it takes needs nothing beside, as long as no more of its own than that is on its way back already.
            // The last one of all is left to who has none.
            return held + more <= free || (free >= 0 && ((more <= credit && held <= credit) || (more == 1 && held == 0)));
        }

        /// <summary>Reserves more; false when there is not enough left for this peer.</summary>
        public bool TryTake(long more, long credit = 0)
        {
            lock (all._lock)
            {
                if (!HasRoom(more, credit))
                {
                    return false;
                }

                Change(more);
                return true;
            }
        }

        public void Return(long less)
        {
            lock (all._lock)
            {
                Change(-less);
            }
        }

        private void Change(long by)
        {
            _held += by;
            all._held += by;
            if (_held == 0)
            {
                all._holders.Remove(holder);
            }
            else if (_held == by)
            {
                all._holders.Add(holder);
            }
        }
    }
}
