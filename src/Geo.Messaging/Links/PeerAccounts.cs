namespace Geo.Messaging;

/// <summary>The accounts of all peers, whichever link they have. Safe to use from any thread.</summary>
internal sealed class PeerAccounts(NodeBudgets all, int maxRunningHandlers)
{
    private const int FirstSweep = 1024;

    private readonly Lock _lock = new();

    // Alive as long as a link of the peer, or what one has left behind: its budgets keep who holds some of them.
    private readonly Dictionary<(ClusterId, PeerId), WeakReference<PeerAccount>> _byPeer = [];
    private int _nextSweep = FirstSweep;

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
                Sweep();
            }

            account = new PeerAccount(all, maxRunningHandlers);
            _byPeer[peer.Place] = new WeakReference<PeerAccount>(account);
            return account;
        }
    }

    private void Sweep()
    {
        foreach (var (peer, account) in _byPeer)
        {
            if (!account.TryGetTarget(out _))
            {
                _byPeer.Remove(peer);
            }
        }

        _nextSweep = Math.Max(FirstSweep, 2 * _byPeer.Count);
    }
}
