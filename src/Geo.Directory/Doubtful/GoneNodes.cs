namespace Geo.Directory;

/// <summary>
/// When this silo first met an Owned row of a node that is gone. Such rows are kept for
/// <see cref="GlobalDirectoryOptions.GoneRowRetention"/>, so that other silos of the cluster can take the grains over without a round.
/// </summary>
internal sealed class GoneNodes(GlobalDirectoryOptions options, TimeProvider time)
{
    // More than a cluster loses in any retention; what is beyond is simply not kept.
    private const int MaxNodes = 10_000;

    private readonly Dictionary<string, long> _since = [];
    private readonly Lock _lock = new();

    public bool MayBeTakenOver(string node)
    {
        lock (_lock)
        {
            if (!_since.TryGetValue(node, out var since))
            {
                MakeRoom();
                return _since.Count < MaxNodes && _since.TryAdd(node, time.GetTimestamp());
            }

            return time.GetElapsedTime(since) < options.GoneRowRetention;
        }
    }

    /// <summary>Forgets nodes whose rows have been removed long since; should one be left, it is kept once more.</summary>
    private void MakeRoom()
    {
        foreach (var (node, since) in _since)
        {
            if (time.GetElapsedTime(since) > options.GoneRowRetention * 2)
            {
                _since.Remove(node);
            }
        }
    }
}
