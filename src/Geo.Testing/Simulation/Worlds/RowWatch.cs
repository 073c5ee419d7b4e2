using Geo.Directory;

namespace Geo.Testing;

/// <summary>What must hold of the directories' rows at every moment, from one write to the next, and once everything has healed.</summary>
internal sealed class RowWatch(SimulationWorld world)
{
    // What a reply on its way, or a round that waits for others, may still say of a silo that has died: longer than any round of any
    // simulation.
    internal static readonly TimeSpan News = TimeSpan.FromSeconds(5);

    // Of a row that no life of its cluster has written.
    private const int NoLife = -1;

    private readonly Dictionary<(ClusterId Cluster, string Key), KnownRow> _known = [];

    // Clusters that were given up when they were dead.
    private readonly HashSet<SimulatedCluster> _givenUp = [];

    // Each round that was ever stored.
    private readonly HashSet<(ClusterId Cluster, string Key, long Round)> _begun = [];

    /// <summary>A row has been written or deleted.</summary>
    public void Changed(SimulatedCluster cluster, string key)
    {
        var entry = Entry(cluster, key);
        var before = _known.GetValueOrDefault((cluster.Id, key)) ?? new(GsiEntry.Invalid, cluster.Lives, default);
        _known[(cluster.Id, key)] = new(entry, cluster.Lives, world.Time.Elapsed);
        world.Trace.Note($"{cluster.Id} {key} {before.Entry.State}>{entry.State}");
        Count(before.Entry, entry);
        CheckPropositions(key);
        CheckTakenOver(cluster, key, before, entry);
        CheckYields(cluster, key, before.Entry, entry);
        if ((before.Entry.MayRunHere || before.Entry.IsYielding) && entry.State == GsiState.Invalid
            && world.Watch.HasInstance(before.Entry.Node!, GrainKey.Parse(key[GlobalDirectory.RowPrefix.Length..])))
        {
            world.Fail($"the row of {key} in {cluster.Id} is gone, and its instance in {before.Entry.Node} lives");
        }

        CheckStep(cluster.Id, key, before.Entry, entry);
    }

    /// <summary>
    /// The rows are others now. Those of a backup are of an earlier life: they bind nobody, and count for nothing before they are written
    /// anew.
    /// </summary>
    public void Replaced(SimulatedCluster cluster, IReadOnlyList<StoreEntry> rows)
    {
        foreach (var known in _known.Keys.Where(k => k.Cluster == cluster.Id).ToArray())
        {
            _known.Remove(known);
        }

        foreach (var row in rows.Where(r => r.Key.StartsWith(GlobalDirectory.RowPrefix, StringComparison.Ordinal)))
        {
            _known[(cluster.Id, row.Key)] = new(GsiEntry.Decode(row.Value.Span), NoLife, world.Time.Elapsed);
        }
    }

    /// <summary>What a cluster's rows say of dead silos counts for nothing from now on.</summary>
    public void GivenUp(SimulatedCluster cluster) => _givenUp.Add(cluster);

    /// <summary>What a cluster's row says now.</summary>
    public GsiState StateOf(ClusterId cluster, string key) =>
        _known.TryGetValue((cluster, key), out var known) ? known.Entry.State : GsiState.Invalid;

    /// <summary>Every row says what it will say for good.</summary>
    public void CheckSettled()
    {
        foreach (var (at, known) in _known)
        {
            if (known.Entry.State is GsiState.Doubtful or GsiState.Requested || known.Entry.IsYielding)
            {
                world.Fail($"the row of {at.Key} in {at.Cluster} is still {(known.Entry.IsYielding ? "yielding" : known.Entry.State)}");
            }
        }
    }

    private static GsiEntry Entry(SimulatedCluster cluster, string key)
    {
        var read = cluster.Rows.ReadAsync(key).AsTask().GetAwaiter().GetResult();
        return read.Outcome == StoreReadOutcome.Found ? GsiEntry.Decode(read.Value.Span) : GsiEntry.Invalid;
    }

    /// <summary>Propositions 3.1 and 3.2 of GEO section 3.3, read from the rows themselves.</summary>
    private void CheckPropositions(string key)
    {
        List<ClusterId>? owners = null;
        List<ClusterId>? running = null;
        foreach (var cluster in world.Clusters)
        {
            var state = _known.TryGetValue((cluster.Id, key), out var known) && known.Life != NoLife
                && !(_givenUp.Contains(cluster) && cluster.DeadSince(known.Entry.Node) is not null)
                ? known.Entry.State : GsiState.Invalid;
            if (state == GsiState.Owned)
            {
                (owners ??= []).Add(cluster.Id);
            }

            if (state is GsiState.Owned or GsiState.Doubtful && cluster.Id != world.Lone)
            {
                (running ??= []).Add(cluster.Id);
            }
        }

        if (owners is { Count: > 1 })
        {
            world.Fail($"Proposition 3.1 is broken: {key} is Owned in {string.Join(" and ", owners)}");
        }

        if (world.IsReliable && running is { Count: > 1 })
        {
            world.Fail($"Proposition 3.2 is broken: without loss {key} is Owned or Doubtful in {string.Join(" and ", running)}");
        }
    }

    /// <summary>
    /// What a cluster owns it keeps without asking others, as long as it lives and the silo that had it certainly does not serve any more;
    /// no longer.
    /// </summary>
    private void CheckTakenOver(SimulatedCluster cluster, string key, KnownRow before, GsiEntry entry)
    {
        if (before.Entry.State != GsiState.Owned)
        {
            return;
        }

        if (entry.State == GsiState.Requested && entry.Basis == before.Entry.Basis)
        {
            world.Fail($"{cluster.Id} asks the others for {key}, which it owned in this life");
        }

        // What a dead silo had sent off may take effect after it.
        if (entry.State != GsiState.Owned || entry.Node == before.Entry.Node || cluster.DeadSince(entry.Node) is not null)
        {
            return;
        }

        world.Counts.TakeOvers++;
        if (before.Life != cluster.Lives)
        {
            world.Fail($"{cluster.Id} takes over {key} from an earlier life");
        }

        if (cluster.Silos.FirstOrDefault(s => s.Present?.Lane.Name == before.Entry.Node) is { Present.MayServe: true } former)
        {
            world.Fail($"{key} is taken over from {former.Present.Lane.Name}, which may still serve it");
        }
    }

    /// <summary>Nobody ends a living instance for the sake of a dead one.</summary>
    private void CheckYields(SimulatedCluster cluster, string key, GsiEntry before, GsiEntry entry)
    {
        if (!entry.IsYielding || before.IsYielding || world.Clusters.FirstOrDefault(c => c.Id == entry.Owner) is not { } winner
            || winner.DeadSince(entry.OwnerNode) is not { } since || world.Time.Elapsed - since < News
            || world.Time.Elapsed - cluster.RemoteRows?.HungUntil < News)
        {
            return;
        }

        // A row that has just been written may name a node that died as it was written.
        if (_known.GetValueOrDefault((winner.Id, key)) is { } row && world.Time.Elapsed - row.At >= News)
        {
            world.Fail(
                $"{cluster.Id} ends its instance of {key} for that of {entry.OwnerNode}, which died {world.Time.Elapsed - since} ago");
        }
    }

    /// <summary>
    /// A round is begun once, and what has become of it is written over its own row: whoever writes over anything else has not compared.
    /// </summary>
    private void CheckStep(ClusterId cluster, string key, GsiEntry before, GsiEntry entry)
    {
        if (entry.State == GsiState.Requested)
        {
            if (entry.Round != before.Round && !_begun.Add((cluster, key, entry.Round)))
            {
                world.Fail($"a round of {cluster} for {key} is begun for the second time");
            }

            return;
        }

        var follows = entry.State switch
        {
            GsiState.Owned => before.State is GsiState.Requested or GsiState.Owned,
            GsiState.Loser => before.State is GsiState.Requested or GsiState.Loser
                || (entry.IsYielding && before.State == GsiState.Owned && before.Owner == entry.Owner),
            GsiState.Doubtful => before.State is GsiState.Requested or GsiState.Loser or GsiState.Doubtful,
            _ => true,
        };
        if (!follows || (entry.State != GsiState.Invalid && entry.Round != before.Round))
        {
            var own = entry.Round == before.Round ? "" : ", of another round";
            world.Fail($"the row of {key} in {cluster} becomes {entry.State} when it is {before.State}{own}");
        }
    }

    private void Count(GsiEntry before, GsiEntry entry)
    {
        world.Counts.Rounds += entry.State == GsiState.Requested && entry.Round != before.Round ? 1 : 0;
        world.Counts.Doubtful += entry.State == GsiState.Doubtful && before.State != GsiState.Doubtful ? 1 : 0;
        world.Counts.Losers += entry.State == GsiState.Loser && before.State == GsiState.Requested ? 1 : 0;
        if (entry.IsYielding && before.State == GsiState.Owned)
        {
            world.Counts.Count("grains that left by a move");
        }
    }

    private sealed record KnownRow(GsiEntry Entry, int Life, TimeSpan At);
}
