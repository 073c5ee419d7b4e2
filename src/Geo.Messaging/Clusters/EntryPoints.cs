namespace Geo.Messaging;

/// <summary>The addresses of other clusters that a node dials, and whether the clusters found there fit its own.</summary>
internal sealed class EntryPoints : IDisposable
{
    private readonly MessagingNode _node;
    private readonly Lock _lock = new();
    private readonly Dictionary<PeerAddress, ClusterId> _dialled = [];
    private readonly Dictionary<ClusterId, LinkRefusal> _refusals = [];

    public EntryPoints(MessagingNode node)
    {
        _node = node;
        node.DialRefused += OnDialRefused;
    }

    /// <summary>Dials these from now on and no others; the node's own cluster is passed over.</summary>
    /// <exception cref="GeoConfigurationException">One is beyond this machine and the link would be unprotected.</exception>
    public void Use(IReadOnlyDictionary<ClusterId, IReadOnlyList<PeerAddress>> entryPoints)
    {
        lock (_lock)
        {
            // Also those that only dial in, and have no address.
            _node.Expected = [.. entryPoints.Keys.Where(cluster => cluster != _node.Cluster)];
            var wanted = entryPoints.Where(entry => entry.Key != _node.Cluster)
                .SelectMany(entry => entry.Value, (entry, address) => (Address: address, Cluster: entry.Key)).ToList();
            foreach (var gone in _dialled.Keys.Except(wanted.Select(entry => entry.Address)).ToList())
            {
                _node.Disconnect(gone);
                _dialled.Remove(gone);
            }

            foreach (var (address, cluster) in wanted.Where(entry => !_dialled.ContainsKey(entry.Address)))
            {
                _node.Connect(address, cluster);
                _dialled.Add(address, cluster);
            }
        }
    }

    /// <inheritdoc cref="ClusterMessenger.EnsureFitsAsync"/>
    public async Task EnsureFitsAsync(TimeSpan patience, CancellationToken cancellationToken)
    {
        Task tried;
        lock (_lock)
        {
            tried = Task.WhenAll(_dialled.Keys.Select(_node.WhenTriedAsync));
        }

        try
        {
            await tried.WaitAsync(patience, _node.Time, cancellationToken);
        }
        catch (TimeoutException)
        {
            // Whoever has not answered by now is not up.
        }

        LinkRefusal? unfit;
        lock (_lock)
        {
            unfit = _refusals.Values.FirstOrDefault(refusal => refusal.Reason == RefusalReason.Unfit);
        }

        if (unfit is { } refusal && !_node.Members.Any(member => !member.Cluster.IsNone && member.Cluster != _node.Cluster))
        {
            throw new GeoConfigurationException(refusal.Message);
        }
    }

    /// <summary>The last refusal that came of dialling a cluster since there was a link with it; null for none.</summary>
    public LinkRefusal? RefusalOf(ClusterId cluster)
    {
        lock (_lock)
        {
            return _refusals.GetValueOrDefault(cluster);
        }
    }

    /// <summary>There is a link with the cluster: what was refused before it is over.</summary>
    public void NoteLink(ClusterId cluster)
    {
        lock (_lock)
        {
            _refusals.Remove(cluster);
        }
    }

    public void Dispose()
    {
        _node.DialRefused -= OnDialRefused;
        lock (_lock)
        {
            foreach (var address in _dialled.Keys)
            {
                _node.Disconnect(address);
            }

            _dialled.Clear();
        }
    }

    private void OnDialRefused(LinkRefusal refusal)
    {
        lock (_lock)
        {
            foreach (var (_, cluster) in _dialled.Where(entry => entry.Key.ToString() == refusal.Remote))
            {
                _refusals[cluster] = refusal;
            }
        }
    }
}
