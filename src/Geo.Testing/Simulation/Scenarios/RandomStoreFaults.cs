namespace Geo.Testing;

/// <summary>What goes wrong with stores: for all silos of a cluster, or for one that shares its cluster with others.</summary>
internal sealed class RandomStoreFaults(SimulationWorld world, IReadOnlyList<SimulatedCluster> clusters, ChoiceTape choices)
{
    /// <summary>From now on some operations are unknown.</summary>
    public void BeginToLose()
    {
        foreach (var store in All())
        {
            store.Options.LostRequests = choices.UpTo(0.25);
            store.Options.LostReplies = choices.UpTo(0.25);
            store.Options.Late = choices.UpTo(0.25);
        }
    }

    /// <summary>From now on some stores ignore that their callers give up.</summary>
    public void BeginToIgnoreTokens()
    {
        foreach (var store in All())
        {
            store.Options.IgnoresTokens = choices.Next(2) == 1;
        }
    }

    /// <summary>One store is out of reach, or is not any more.</summary>
    public void ReachOrNot()
    {
        if (Any() is not { } store || IsForOne(store, hangs: false))
        {
            return;
        }

        store.Options.Unreachable = !store.Options.Unreachable;
        world.Counts.Count("stores out of reach", store.Options.Unreachable ? 1 : 0);
        world.Trace.Note($"{store.Name} {(store.Options.Unreachable ? "unreachable" : "reachable")}");
    }

    /// <summary>One store hangs, or goes on.</summary>
    public void HangOrGoOn()
    {
        if (Any() is not { } store || IsForOne(store, hangs: true))
        {
            return;
        }

        world.Trace.Note($"{store.Name} {(store.Options.Hangs ? "goes on" : "hangs")}");
        if (store.Options.Hangs)
        {
            store.EndHanging();
        }
        else
        {
            world.Counts.Count("stores that hang");
            store.Options.Hangs = true;
        }
    }

    private IEnumerable<SimulatedStore> All() => clusters.SelectMany(Of);

    private IEnumerable<SimulatedStore> Of(SimulatedCluster cluster) =>
        world.Stores.Select(s => s.From(cluster.Id)).Concat(cluster.RemoteRows is { } rows ? [rows] : []).Concat(cluster.Kept);

    private SimulatedStore? Any() => All().ToArray() is { Length: > 0 } stores ? stores[choices.Next(stores.Length)] : null;

    /// <summary>Where the trouble is to be that of one silo alone, it comes, or ends.</summary>
    private bool IsForOne(SimulatedStore store, bool hangs)
    {
        if (clusters.First(c => Of(c).Contains(store)).Silos is not { Count: > 1 } silos || choices.Next(2) == 0)
        {
            return false;
        }

        var silo = silos[choices.Next(silos.Count)];
        if (store.IsCutOff(silo))
        {
            store.Mend(silo);
        }
        else
        {
            world.Counts.Count(hangs ? "stores that hang for one silo" : "stores out of reach of one silo");
            store.CutOff(silo, hangs);
        }

        return true;
    }
}
