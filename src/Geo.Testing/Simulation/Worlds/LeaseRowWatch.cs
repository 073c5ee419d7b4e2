using Geo.Directory;

namespace Geo.Testing;

/// <summary>What must hold of the rows by which the silos of a cluster live: a fence is the end of a silo, and is not taken back.</summary>
internal sealed class LeaseRowWatch(SimulationWorld world)
{
    private readonly Dictionary<(ClusterId Cluster, string Key), TimeSpan> _fences = [];

    // Silos that run, and that others have fenced off: few, and looked at after every step.
    private readonly List<(SimulatedSilo Silo, SimulationLane Lane)> _fenced = [];

    /// <summary>A row has been written or deleted.</summary>
    public void Changed(SimulatedCluster cluster, string key)
    {
        var read = cluster.Rows.ReadAsync(key).AsTask().GetAwaiter().GetResult();
        var row = read.Outcome == StoreReadOutcome.Found ? LeaseRow.Decode(read.Value.Span) : null;
        if (_fences.Remove((cluster.Id, key), out var since) && (row is not null || !IsOld(cluster, since)))
        {
            var now = row is null ? "gone" : row.IsFenced ? "written again" : "a lease";
            world.Fail($"the fence of {LeaseRow.NodeOf(key)} in {cluster.Id} is {now}");
        }

        if (row is not { IsFenced: true })
        {
            return;
        }

        _fences[(cluster.Id, key)] = world.Time.Elapsed;
        if (cluster.Silos.FirstOrDefault(s => s.Present?.Lane.Name == LeaseRow.NodeOf(key)) is { } silo)
        {
            _fenced.Add((silo, silo.Present!.Lane));
        }
    }

    /// <summary>The rows are others now: none, or those of a backup, of silos that are all dead.</summary>
    public void Replaced(SimulatedCluster cluster)
    {
        foreach (var fence in _fences.Keys.Where(f => f.Cluster == cluster.Id).ToArray())
        {
            _fences.Remove(fence);
        }
    }

    /// <summary>Nobody takes a silo for gone while it may serve.</summary>
    public void CheckFenced()
    {
        for (var i = _fenced.Count - 1; i >= 0; i--)
        {
            var (silo, lane) = _fenced[i];
            if (silo.Present is not { } present || present.Lane != lane)
            {
                _fenced.RemoveAt(i);
            }
            else if (silo.Cluster.Silos.FirstOrDefault(s => s.Present?.TakesForGone(lane.Name) == true) is { } sibling)
            {
                if (present is { IsServing: true, MayServe: true })
                {
                    world.Fail($"{sibling} takes {lane.Name} for gone, which may still serve");
                }

                world.Memories.Fenced(silo);
            }
        }
    }

    /// <summary>Fences that nobody needs any more are removed; by a wall clock, which may be wrong.</summary>
    private bool IsOld(SimulatedCluster cluster, TimeSpan since) =>
        world.Time.Elapsed - since > cluster.SiloOptions.FenceRetention / 2;
}
