namespace Geo.Messaging.Amqp;

/// <summary>
/// Epochs of peers with which no link is wanted any more, as long as anything of them may still be under way. Not thread-safe.
/// </summary>
internal sealed class PartedPeers(int limit, TimeSpan patience)
{
    private readonly Dictionary<PeerId, (long Epoch, TimeSpan Heard)> _peers = [];

    public void Add(PeerId peer, long epoch, TimeSpan now)
    {
        if (_peers.Count >= limit && !_peers.ContainsKey(peer))
        {
            _peers.Remove(_peers.MinBy(known => known.Value.Heard).Key);
        }

        _peers[peer] = (epoch, now);
    }

    /// <summary>True for something of a parted epoch, or one before.</summary>
    public bool Contains(PeerId peer, long epoch, TimeSpan now)
    {
        if (!_peers.TryGetValue(peer, out var parted))
        {
            return false;
        }

        if (epoch > parted.Epoch)
        {
            _peers.Remove(peer);
            return false;
        }

        _peers[peer] = parted with { Heard = now };
        return true;
    }

    public void Clear() => _peers.Clear();

    /// <summary>Forgets those that have not been heard of for long.</summary>
    public void Forget(TimeSpan now)
    {
        foreach (var (peer, parted) in _peers)
        {
            if (now - parted.Heard > patience * 4)
            {
                _peers.Remove(peer);
            }
        }
    }
}
