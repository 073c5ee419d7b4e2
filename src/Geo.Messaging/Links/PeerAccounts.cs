namespace Geo.Messaging;

/// <summary>
/// What all peers together may take at a node, and the accounts of each, whichever link it has. Safe to use from any thread.
/// </summary>
internal sealed class PeerAccounts(MessagingOptions options)
{
    private const int FirstSweep = 1024;

    private readonly Lock _lock = new();

    // Alive as long as a link of the peer, or what one has left behind: its budgets keep who holds some of them.
    private readonly Dictionary<(ClusterId, PeerId), WeakReference<PeerAccount>> _byPeer = [];
    private int _nextSweep = FirstSweep;

    /// <summary>
    /// Bytes of large messages, and of small ones that follow them, from their first piece until their handlers have ended.
    /// </summary>
    public NodeBudget Large { get; } = new(options.MaxLargeBytes);

    /// <summary>Bytes of other messages, from their arrival until their handlers have ended.</summary>
    public NodeBudget Small { get; } = new(options.MaxSmallBytes);

    /// <summary>Bytes of replies that have not been sent.</summary>
    public NodeBudget Replies { get; } = new(options.MaxReplyBytes);

    /// <summary>Accepted connections of links that are open.</summary>
    public NodeBudget Connections { get; } = new(options.MaxConnections);

    public PeerAccount Of(PeerIdentity peer)
    {
        lock (_lock)
        {
            if (_byPeer.TryGetValue(peer.Place, out var known) && known.TryGetTarget(out var account))
            {
                return account;
            }

            if (_byPeer.Count >= _nextSweep)
            {
                foreach (var gone in _byPeer.Where(entry => !entry.Value.TryGetTarget(out _)).Select(entry => entry.Key).ToList())
                {
                    _byPeer.Remove(gone);
                }

                _nextSweep = Math.Max(FirstSweep, 2 * _byPeer.Count);
            }

            account = new PeerAccount(this, options.MaxRunningHandlers);
            _byPeer[peer.Place] = new WeakReference<PeerAccount>(account);
            return account;
        }
    }
}
