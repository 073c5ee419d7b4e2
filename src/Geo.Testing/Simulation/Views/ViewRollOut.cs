using Geo.Consistency;

namespace Geo.Testing;

/// <summary>
/// The list of clusters changes, as operators roll it out: clusters that leave, stay and join are stopped, restarted and started one after
/// the other, in any order, while faults go on. Before the next change all hear each other, until the grains in use have been used under
/// the list in every cluster of it.
/// </summary>
internal sealed class ViewRollOut
{
    private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan RestartPause = TimeSpan.FromMilliseconds(500);

    // A silo may take as long to start where its stores do not answer, or to be thawed.
    private const int Starts = 60;

    // Of glances until a list has come everywhere, with all faults ended: a term that waits for an answer lasts two seconds.
    private const int Patience = 150;

    private readonly SimulationWorld _world;
    private readonly SimulatedFaults _kinds;
    private readonly IReadOnlyList<Type> _classes;
    private readonly Func<Type, SimulatedCluster, Task> _useAsync;
    private readonly ChoiceTape _choices;
    private readonly bool _linksFollowLists;
    private readonly Dictionary<SimulatedCluster, Settings> _settings = [];
    private Settings _present;

    /// <param name="world">The world.</param>
    /// <param name="kinds">What fails meanwhile.</param>
    /// <param name="classes">The classes of which a grain is in use.</param>
    /// <param name="useAsync">Sends an update to the grain of a class through a cluster, without waiting for its confirmation.</param>
    public ViewRollOut(
        SimulationWorld world, SimulatedFaults kinds, IReadOnlyList<Type> classes, Func<Type, SimulatedCluster, Task> useAsync)
    {
        (_world, _kinds, _useAsync, _choices) = (world, kinds, useAsync, world.Choices.Tape("roll-out"));
        _classes = [.. classes.Where(c => c != typeof(NotesClasses.Stored))];
        _linksFollowLists = _choices.Next(2) == 1;
        _present = new(1, AnyList(), []);
        foreach (var cluster in world.Clusters)
        {
            _settings[cluster] = _present;
        }
    }

    /// <summary>The kinds of faults that may go on meanwhile: the roll-out itself stops, crashes and starts silos.</summary>
    public static SimulatedFaults Beside => SimulatedFaults.Loss | SimulatedFaults.Cuts | SimulatedFaults.Stores | SimulatedFaults.Pauses
        | SimulatedFaults.Hangs | SimulatedFaults.Clocks;

    /// <summary>What a cluster's silo is started with.</summary>
    public VersionedLeaderOptions OptionsOf(string cluster)
    {
        var settings = _settings.Single(s => s.Key.Id.Name == cluster).Value;
        return new()
        {
            AnswerWait = TimeSpan.FromSeconds(1),
            RetryMaximum = TimeSpan.FromMilliseconds(500),
            TakeOverAfter = TimeSpan.FromSeconds(1),
            HandOverWait = TimeSpan.FromSeconds(1),
            Configuration = settings.Number,
            FormerClusters = [.. settings.Former.Select(c => c.Id.Name)],
        };
    }

    /// <summary>Starts the clusters of the first list.</summary>
    public async Task StartAsync()
    {
        foreach (var cluster in _present.List)
        {
            await StartAsync(cluster);
        }
    }

    /// <summary>Changes the list for a while; at last all clusters are in it.</summary>
    public async Task RunAsync(TimeSpan until)
    {
        await ComeEverywhereAsync();
        while (_world.Time.Elapsed < until && _choices.HasMore)
        {
            using (_choices.Span("another list"))
            {
                await ChangeAsync(AnyList());
            }
        }

        await ChangeAsync([.. _world.Clusters]);
    }

    private async Task ChangeAsync(IReadOnlyList<SimulatedCluster> list)
    {
        if (list.SequenceEqual(_present.List))
        {
            return;
        }

        _world.Counts.Count("lists of clusters rolled out");
        var before = _present.List;
        var (leaving, others) = (before.Except(list).ToList(), Shuffled(list));

        // Where links follow the lists nobody could ask a cluster that has left: it is stopped first, in good order or not.
        _present = new(_present.Number + 1, list, _linksFollowLists ? [.. before.Intersect(list)] : before);
        _world.Trace.Note($"list {_present.Number} is {string.Join(", ", list)}, after {string.Join(", ", _present.Former)}");
        var faults = new RandomFaults(_world, _kinds);
        faults.Begin();
        var changing = MoveAsync(leaving, others);
        await faults.RunAsync(_world.Time.Elapsed + _choices.Between(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(6)));
        EndFaults();
        await changing;
        await ComeEverywhereAsync();
        if (!_linksFollowLists)
        {
            // They were asked to the end, as the rule on the former clusters' majority needs where many leave at once.
            await LeaveAsync(leaving);
        }
    }

    private async Task MoveAsync(List<SimulatedCluster> leaving, IReadOnlyList<SimulatedCluster> others)
    {
        if (_linksFollowLists)
        {
            await LeaveAsync(leaving);
        }

        foreach (var cluster in others)
        {
            await StopAsync(cluster[0]);
            await _world.PassAsync(_choices.Between(TimeSpan.Zero, TimeSpan.FromSeconds(1)));
            _settings[cluster] = _present;
            await StartAsync(cluster);
            await _world.PassAsync(_choices.Between(TimeSpan.Zero, TimeSpan.FromSeconds(3)));
            await CrashAnyAsync();
        }
    }

    private async Task LeaveAsync(List<SimulatedCluster> leaving)
    {
        foreach (var cluster in leaving)
        {
            _world.Counts.Count("clusters that left");
            await StopAsync(cluster[0]);
            _settings[cluster] = _present;
            await _world.PassAsync(_choices.Between(TimeSpan.Zero, TimeSpan.FromSeconds(2)));
        }
    }

    private async Task StopAsync(SimulatedSilo silo)
    {
        if (silo.IsUp && _choices.Next(3) < 2)
        {
            await silo.StopAsync();
        }

        silo.Crash();
    }

    /// <summary>A silo that the roll-out has not come to, or has left, crashes and is started again as it was.</summary>
    private async Task CrashAnyAsync()
    {
        var running = _world.Clusters.Where(c => c[0].IsUp).ToList();
        if (running.Count > 0 && _choices.Next(4) == 3)
        {
            var cluster = running[_choices.Next(running.Count)];
            cluster.Crash();
            if (_settings[cluster] != _present)
            {
                _world.Memories.StartsWithOldList(_settings[cluster].List);
            }

            await StartAsync(cluster);
        }
    }

    private async Task StartAsync(SimulatedCluster cluster)
    {
        var silo = cluster[0];
        silo.Configuration = [.. _settings[cluster].List.Select(c => c.Id)];
        for (var starts = 0; silo.Present is null; starts++)
        {
            try
            {
                await silo.StartAsync();
            }
            catch (Exception e) when (e is GeoUnavailableException or GeoConfigurationException && starts < Starts)
            {
                _world.Trace.Note($"{silo} does not start: {e.Message}");
                await _world.PassAsync(RestartPause);
            }
        }

        Link();
    }

    private void EndFaults()
    {
        _world.EndFaults();
        Link();
    }

    /// <summary>A link to a cluster that does not name this one is refused, whoever dials.</summary>
    private void Link()
    {
        foreach (var cluster in _world.Clusters)
        {
            cluster[0].Link();
        }

        if (!_linksFollowLists)
        {
            return;
        }

        foreach (var (from, to) in _world.Clusters.SelectMany(c => _world.Clusters.Where(o => o != c).Select(o => (c, o))))
        {
            if (!_settings[from].List.Contains(to) || !_settings[to].List.Contains(from))
            {
                from[0].Unlink(to);
            }
        }
    }

    /// <summary>Uses the grains in every cluster of the list until each cluster has followed a leader under it.</summary>
    private async Task ComeEverywhereAsync()
    {
        for (var left = Patience; !_classes.All(HasComeEverywhere); left--)
        {
            if (left == 0)
            {
                _world.Fail($"list {_present.Number} of clusters does not come everywhere although everything has healed");
                return;
            }

            var inUse = Task.WhenAll(_classes.SelectMany(_ => _present.List, _useAsync));
            await _world.PassAsync(Glance);
            await inUse;
        }
    }

    private bool HasComeEverywhere(Type grain) => _present.List.All(c => c[0].Present?.Memories?.All
        .FirstOrDefault(m => m.Key.ToString() == NotesClasses.NameOf(grain)) is { Replica: { IsSeated: true } replica }
        && replica.LogConfiguration >= _present.Number);

    private IReadOnlyList<SimulatedCluster> AnyList()
    {
        var names = 1 + _choices.Next((1 << _world.Clusters.Count) - 1);
        return [.. _world.Clusters.Where((_, i) => (names & (1 << i)) != 0)];
    }

    private List<SimulatedCluster> Shuffled(IReadOnlyList<SimulatedCluster> clusters)
    {
        var (left, shuffled) = (clusters.ToList(), new List<SimulatedCluster>());
        while (left.Count > 0)
        {
            shuffled.Add(left[_choices.Next(left.Count)]);
            left.Remove(shuffled[^1]);
        }

        return shuffled;
    }

    private sealed record Settings(int Number, IReadOnlyList<SimulatedCluster> List, IReadOnlyList<SimulatedCluster> Former);
}
