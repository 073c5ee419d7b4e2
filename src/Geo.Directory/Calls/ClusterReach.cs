using System.Collections.Concurrent;

namespace Geo.Directory;

/// <summary>Knows how long this silo has been without a link to each of the other clusters.</summary>
internal sealed class ClusterReach : IDisposable
{
    private readonly ConcurrentDictionary<ClusterId, long> _downSince = new();
    private readonly IClusterMessenger _messenger;
    private readonly TimeProvider _time;

    /// <summary>Begins to watch links; a cluster that was never linked is out of reach from now on.</summary>
    public ClusterReach(IClusterMessenger messenger, IEnumerable<ClusterId> others, TimeProvider time)
    {
        (_messenger, _time) = (messenger, time);
        messenger.LinkUp += OnLinkUp;
        messenger.LinkDown += OnLinkDown;
        foreach (var other in others)
        {
            _downSince.TryAdd(other, time.GetTimestamp());
        }
    }

    /// <summary>
    /// True while there is no link, and siblings are known to reach the cluster: those that refuse to relay do so for their load.
    /// </summary>
    public bool IsBusy(ClusterId cluster) => !_messenger.IsLinked(cluster) && _messenger is SiblingRelay relay && relay.Reaches(cluster);

    /// <summary>
    /// How long there has been no link, nor a sibling that was known to reach the cluster, which is zero in the instant of a loss; null
    /// while there is one. A sibling that refuses to relay because it relays too much does reach it.
    /// </summary>
    public TimeSpan? DownFor(ClusterId cluster)
    {
        if (_messenger.IsLinked(cluster) || IsBusy(cluster))
        {
            return null;
        }

        var down = _time.GetElapsedTime(_downSince.GetOrAdd(cluster, _ => _time.GetTimestamp()));
        return (_messenger as SiblingRelay)?.ReachedAgo(cluster) is { } ago && ago < down ? ago : down;
    }

    public void Dispose()
    {
        _messenger.LinkUp -= OnLinkUp;
        _messenger.LinkDown -= OnLinkDown;
    }

    private void OnLinkUp(ClusterId cluster) => _downSince.TryRemove(cluster, out _);

    private void OnLinkDown(ClusterId cluster) => _downSince[cluster] = _time.GetTimestamp();
}
