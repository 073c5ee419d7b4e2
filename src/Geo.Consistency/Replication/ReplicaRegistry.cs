namespace Geo.Consistency;

/// <summary>The active instances of a silo's multi-instance grains, one a grain. Thread-safe.</summary>
internal sealed class ReplicaRegistry
{
    // A set under a lock, because there may be many instances, and only messages ask for one.
    private readonly HashSet<RegisteredReplica> _replicas = ByGrain<RegisteredReplica>.Table(static r => r.Key);

    /// <summary>Those of one moment, in an order that is the same in every process, which a simulation relies on.</summary>
    internal IReadOnlyList<RegisteredReplica> All
    {
        get
        {
            lock (_replicas)
            {
                return [.. _replicas.OrderBy(r => r.Key.ToString(), StringComparer.Ordinal)];
            }
        }
    }

    internal RegisteredReplica? Find(GrainKey key)
    {
        lock (_replicas)
        {
            return _replicas.GetAlternateLookup<GrainKey>().TryGetValue(key, out var found) ? found : null;
        }
    }

    /// <summary>Adds an instance; gives the one that had its place.</summary>
    internal RegisteredReplica? Add(RegisteredReplica added)
    {
        lock (_replicas)
        {
            var former = Find(added.Key);
            if (former is not null)
            {
                _replicas.Remove(former);
            }

            _replicas.Add(added);
            return former;
        }
    }

    /// <summary>Takes an instance out, unless another one has its place.</summary>
    internal void Remove(RegisteredReplica ended)
    {
        lock (_replicas)
        {
            if (Find(ended.Key) == ended)
            {
                _replicas.Remove(ended);
            }
        }
    }
}
