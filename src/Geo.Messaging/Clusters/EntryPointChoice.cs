namespace Geo.Messaging;

/// <summary>
/// Chooses among the entry points of a cluster by rendezvous hashing: a key keeps its own while that is connected, whatever the others do.
/// </summary>
internal static class EntryPointChoice
{
    /// <summary>The link of a key; on a further attempt that of the next entry point, as far as there are others.</summary>
    public static PeerLink? Of(PeerLink[] links, ClusterId cluster, PartitionKey key, int attempt)
    {
        var mixed = key.Mix();
        var (chosen, score) = Best(links, cluster, mixed, below: ulong.MaxValue);
        for (; attempt > 0 && Best(links, cluster, mixed, score) is { Link: { } next } best; attempt--)
        {
            (chosen, score) = (next, best.Score);
        }

        return chosen;
    }

    private static (PeerLink? Link, ulong Score) Best(PeerLink[] links, ClusterId cluster, ulong key, ulong below)
    {
        (PeerLink? Link, ulong Score) best = default;
        foreach (var link in links)
        {
            if (link.Remote.Cluster == cluster && link.IsOpen
                && StableHash.Mix(key ^ link.RemoteHash) is var score && score < below && (best.Link is null || score > best.Score))
            {
                best = (link, score);
            }
        }

        return best;
    }
}
