namespace Geo.Testing;

/// <summary>Breaks things in a world while its clients call, as its choices say.</summary>
internal sealed class RandomFaults
{
    // Between two changes of a silo's own links: the messages that one change loses are sent again before the next.
    private static readonly TimeSpan LinkPause = TimeSpan.FromSeconds(2);

    // A cluster that exists in a silo's settings alone.
    private static readonly ClusterId Nowhere = new("nowhere");

    private readonly SimulationWorld _world;
    private readonly SimulatedFaults _kinds;
    private readonly ChoiceTape _choices;
    private readonly IReadOnlyList<SimulatedCluster> _clusters;
    private readonly RandomStoreFaults _stores;
    private readonly List<Func<Task>> _events = [() => Task.CompletedTask, () => Task.CompletedTask];
    private readonly Dictionary<SimulatedCluster, IReadOnlyList<StoreEntry>> _backups = [];
    private readonly Dictionary<SimulatedSilo, TimeSpan> _setBack = [];
    private TimeSpan _linksChanged;

    public RandomFaults(SimulationWorld world, SimulatedFaults kinds)
    {
        (_world, _kinds, _choices) = (world, kinds, world.Choices.Tape("faults"));
        _clusters = world.Lone.IsNone ? world.Clusters : [.. world.Clusters.Where(c => c.Id == world.Lone)];
        _stores = new RandomStoreFaults(world, _clusters, _choices);
        Add(SimulatedFaults.Cuts, CutOneWay, Isolate, world.Network.Heal, world.Network.Heal, BreakClient, HoldOrRelease);
        Add(SimulatedFaults.Stores, _stores.ReachOrNot);
        Add(SimulatedFaults.Crashes, StopOrStartAsync, StopOrStartAsync);
        Add(SimulatedFaults.Pauses, FreezeOrThaw);
        Add(SimulatedFaults.Hangs, _stores.HangOrGoOn);
        Add(SimulatedFaults.Suspicions, Suspect);
        Add(SimulatedFaults.SiloLinks, UnlinkOrLink);
        Add(SimulatedFaults.Clocks, JumpClock);
        Add(SimulatedFaults.Settings, StartWithAnotherListAsync);
        Add(SimulatedFaults.Backups, BackUpOrRestoreAsync);
    }

    /// <summary>Sets what is wrong with silos before they start: clocks, and settings.</summary>
    public static void SetUp(SimulationWorld world, SimulatedFaults kinds)
    {
        var choices = world.Choices.Tape("clocks");
        foreach (var silo in world.Clusters.SelectMany(c => c.Silos))
        {
            if (kinds.HasFlag(SimulatedFaults.Pauses))
            {
                silo.Clock.Skew = TimeSpan.FromSeconds(choices.Next(1201) is var skew && skew % 2 == 0 ? skew / 2 : -skew / 2);
            }

            if (kinds.HasFlag(SimulatedFaults.Settings))
            {
                silo.LeaseFactor = (50 + choices.Next(101)) / 100.0;
            }
        }
    }

    /// <summary>Sets the faults that last the whole time.</summary>
    public void Begin()
    {
        if (_kinds.HasFlag(SimulatedFaults.Loss))
        {
            _world.Network.Options.Loss = _choices.UpTo(0.35);
            _world.Network.Options.Duplication = _choices.UpTo(0.5);
            _world.Network.Options.NoticeLoss = _choices.UpTo(1);
            var slow = _world.Network.Way(AnyCluster().Id, AnyCluster().Id);
            (slow.MinDelay, slow.MaxDelay) = (TimeSpan.FromMilliseconds(50), TimeSpan.FromMilliseconds(50 + (50 * _choices.Next(12))));
        }

        if (_kinds.HasFlag(SimulatedFaults.Stores))
        {
            _stores.BeginToLose();
        }

        if (_kinds.HasFlag(SimulatedFaults.Hangs))
        {
            _stores.BeginToIgnoreTokens();
        }

        if (_kinds.HasFlag(SimulatedFaults.Siblings))
        {
            BeginBetweenSilos();
        }
    }

    private void BeginBetweenSilos()
    {
        foreach (var siblings in _clusters.Select(c => c.Siblings).OfType<SiblingNetwork>())
        {
            (siblings.Loss, siblings.Lateness) = (_choices.UpTo(0.35), _choices.UpTo(0.35));
            siblings.MaxHeard = TimeSpan.FromMilliseconds(_choices.Next(2001));
        }
    }

    /// <summary>Lets something happen every now and then.</summary>
    public async Task RunAsync(TimeSpan until)
    {
        while (_world.Time.Elapsed < until && _choices.HasMore)
        {
            using (_choices.Span("fault"))
            {
                await Task.Delay(_choices.Between(TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(1500)), _world.Time);
                await _events[_choices.Next(_events.Count)]();
            }
        }
    }

    /// <summary>The last thing that happens: one cluster dies as a whole, and what the others believe of it is wrong.</summary>
    public void End()
    {
        if (_kinds.HasFlag(SimulatedFaults.Crashes) && _choices.HasMore && _choices.Next(2) == 1)
        {
            AnyCluster().Crash();
        }
    }

    private void Add(SimulatedFaults kind, params Action[] events) => Add(kind, [.. events.Select(Async)]);

    private void Add(SimulatedFaults kind, params Func<Task>[] events) => _events.AddRange(_kinds.HasFlag(kind) ? events : []);

    private static Func<Task> Async(Action action) => () =>
    {
        action();
        return Task.CompletedTask;
    };

    private SimulatedCluster AnyCluster() => _clusters[_choices.Next(_clusters.Count)];

    private SimulatedCluster? AnyOther(SimulatedCluster cluster) =>
        _world.Clusters[_choices.Next(_world.Clusters.Count)] is var other && other != cluster ? other : null;

    private SimulatedSilo AnySilo() => AnyCluster() is var cluster ? cluster.Silos[_choices.Next(cluster.Silos.Count)] : null!;

    private void CutOneWay()
    {
        var cluster = AnyCluster();
        if (AnyOther(cluster) is { } other)
        {
            var outwards = _choices.Next(2) == 0;
            _world.Network.Cut((outwards ? cluster : other).Id, (outwards ? other : cluster).Id);
        }
    }

    private void Isolate() => _world.Network.Isolate(AnyCluster().Id);

    private void BreakClient()
    {
        if (_world.OpenClients.Count > 0)
        {
            _world.OpenClients[_choices.Next(_world.OpenClients.Count)].BreakLink();
        }
    }

    private void HoldOrRelease()
    {
        var cluster = AnyCluster();
        if (AnyOther(cluster) is not { } other)
        {
            return;
        }

        var (from, to) = _choices.Next(2) == 0 ? (cluster.Id, other.Id) : (other.Id, cluster.Id);
        if (_world.Network.Way(from, to).IsHeld)
        {
            _world.Network.Release(from, to);
        }
        else
        {
            _world.Counts.Count("links held");
            _world.Network.Hold(from, to);
        }
    }

    private void FreezeOrThaw()
    {
        if (_clusters.SelectMany(c => c.Silos).FirstOrDefault(s => s.IsFrozen) is { } frozen && _choices.Next(2) == 1)
        {
            frozen.Thaw();
        }
        else
        {
            var silo = AnySilo();
            silo.Freeze(stopClock: _choices.Next(2) == 1 && !MayOutliveItsLease(silo));
        }
    }

    /// <summary>Until it has renewed its lease by the clock as it is set now, or has seen it end.</summary>
    private bool MayOutliveItsLease(SimulatedSilo silo) =>
        (silo.Cluster.Silos.Count > 1 || _world.OwnsByQuorum) && _setBack.TryGetValue(silo, out var at)
        && _world.Time.Elapsed - at <= silo.Cluster.SiloOptions.LeaseDuration;

    private void Suspect() => AnySilo().Suspect();

    private void UnlinkOrLink()
    {
        var silo = AnySilo();
        if (AnyOther(silo.Cluster) is not { } other || silo.Cluster.Silos.Count == 1 || _world.Time.Elapsed - _linksChanged < LinkPause)
        {
            return;
        }

        _linksChanged = _world.Time.Elapsed;
        if (silo.Cluster.Silos.FirstOrDefault(s => s.IsUnlinked) is { } unlinked)
        {
            unlinked.Link();
        }
        else
        {
            silo.Unlink(other);
        }
    }

    /// <summary>
    /// Not of a silo that stands still, and its machine is not suspended shortly after: no lease holds against a wall clock that is set
    /// back while nothing can notice (see docs/simulation.md).
    /// </summary>
    private void JumpClock()
    {
        var silo = AnySilo();
        var jump = TimeSpan.FromMilliseconds(_choices.Next(20_001) is var by && by % 2 == 0 ? by / 2 : -by / 2);
        if (!silo.IsFrozen)
        {
            _world.Counts.Count("wall clocks that jump");
            _world.Trace.Note($"the wall clock of {silo} jumps by {jump.TotalMilliseconds} ms");
            silo.Clock.Skew += jump;
            if (jump < TimeSpan.Zero)
            {
                _setBack[silo] = _world.Time.Elapsed;
            }
        }
    }

    /// <summary>
    /// A silo that shares its cluster needs its lease to start; its host gives up when the store does not answer, or when one with another
    /// list has not been noticed to be dead, and is tried again.
    /// </summary>
    private async Task TryStartAsync(SimulatedSilo silo)
    {
        if (silo.Present is not null || silo.Cluster.IsGivenUp)
        {
            // Its supervisor has been faster, or nobody expects it to come back.
            return;
        }

        try
        {
            await silo.StartAsync();
        }
        catch (Exception e) when (e is GeoUnavailableException or GeoConfigurationException)
        {
            _world.Trace.Note($"{silo} does not start: {e.Message}");
        }
    }

    private async Task StopOrStartAsync()
    {
        var silo = AnySilo();
        if (!silo.IsUp)
        {
            await TryStartAsync(silo);
        }
        else if (_choices.Next(4) == 1)
        {
            await silo.StopAsync();
        }
        else if (_choices.Next(2) == 1)
        {
            silo.CrashAfter(_choices.Next(12));
        }
        else
        {
            silo.Crash();
        }
    }

    /// <summary>
    /// An operator adds a cluster by a rolling restart, which must be refused as long as a sibling goes by the former list.
    /// </summary>
    private async Task StartWithAnotherListAsync()
    {
        var silo = AnySilo();
        if (silo.Cluster.Silos.Count == 1 || !silo.Cluster.Silos.Any(s => s != silo && s.IsUp))
        {
            return;
        }

        silo.Crash();
        silo.Configuration = [.. _world.Clusters.Select(c => c.Id), Nowhere];
        try
        {
            await silo.StartAsync();
        }
        catch (GeoConfigurationException)
        {
            _world.Counts.Count("lists of clusters refused");
        }
        catch (GeoUnavailableException e)
        {
            _world.Trace.Note($"{silo} does not start: {e.Message}");
        }

        if (silo.IsUp
            && silo.Cluster.Silos.FirstOrDefault(s => s != silo && s.Present is { IsServing: true, MayServe: true }) is { } sibling)
        {
            _world.Fail($"{silo} serves with another list of clusters than {sibling} has");
        }

        // Of a cluster that goes by that list as a whole nobody knows what it should do; it never came to that.
        silo.Configuration = null;
        silo.Crash();
        await TryStartAsync(silo);
    }

    private async Task BackUpOrRestoreAsync()
    {
        var cluster = AnyCluster();
        if (cluster.RemoteRows is null)
        {
            return;
        }

        if (!_backups.Remove(cluster, out var backup))
        {
            _backups[cluster] = await cluster.BackUpRowsAsync();
            return;
        }

        _world.Counts.Count("row stores restored");
        cluster.Crash();
        await cluster.RestoreRowsAsync(backup);
        await Task.WhenAll(cluster.Silos.Select(TryStartAsync));
    }
}
