using Geo.Directory;

namespace Geo.Testing;

/// <summary>The lives of a cluster are counted upwards: what one has owned no later one may take for its own.</summary>
internal sealed class IncarnationWatch(SimulationWorld world)
{
    private readonly Dictionary<ClusterId, long> _known = [];

    /// <summary>The row that counts them was written.</summary>
    public void Changed(SimulatedCluster cluster)
    {
        var read = cluster.Rows.ReadAsync(ClusterIncarnation.Key).AsTask().GetAwaiter().GetResult();
        var life = read.Outcome == StoreReadOutcome.Found ? new PayloadReader(read.Value.Span).ReadSigned() : 0;
        var before = _known.GetValueOrDefault(cluster.Id);
        _known[cluster.Id] = life;
        if (life <= before)
        {
            world.Fail($"life {life} of {cluster.Id} begins after life {before}");
        }
    }

    /// <summary>The rows are others now, those of a backup, and are counted on from there.</summary>
    public void Replaced(SimulatedCluster cluster) => _known.Remove(cluster.Id);
}
