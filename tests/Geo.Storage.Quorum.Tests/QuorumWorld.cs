using System.Globalization;
using System.Text;
using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>Clusters with a store each and silos that use one register over them, on one thread in virtual time.</summary>
internal sealed class QuorumWorld
{
    private readonly QuorumSetting _setting;
    private readonly Choices _choices;
    private readonly QuorumConfiguration _configuration;
    private readonly QuorumStoreOptions _options;
    private readonly Dictionary<ClusterId, InMemoryConditionalStore> _disks = [];
    private readonly List<Silo> _silos = [];
    private readonly List<(Silo By, Task Change)> _changes = [];
    private readonly Dictionary<(string Key, string ETag), int> _values = [];
    private int _lastValue;
    private int _lives;

    public QuorumWorld(int seed, QuorumSetting setting)
    {
        _setting = setting;
        _choices = new Choices(new SimulationSeed(seed));
        Scheduler = new SimulationScheduler(order: _choices.Tape("order"));
        var isFaulty = setting.HasFaults;
        Network = new SimulatedNetwork(
            Scheduler, _choices.Tape("network"),
            new SimulatedNetworkOptions
            {
                MinDelay = TimeSpan.FromMilliseconds(1),
                MaxDelay = TimeSpan.FromMilliseconds(isFaulty ? 60 : 2),
                Loss = isFaulty ? 0.05 : 0,
                UnknownWhenCut = 0.5,
            });
        Clusters = [.. Enumerable.Range(1, setting.Acceptors + setting.Spares).Select(i => new ClusterId($"c{i}"))];
        _configuration = new(1, [.. Clusters.Take(setting.Acceptors)]);

        // In every other world acceptors are given up soon, so that much is in doubt; in some the pages of lists are short.
        _options = new QuorumStoreOptions
        {
            RequestTimeout = TimeSpan.FromMilliseconds(seed % 2 == 0 ? 2000 : 150),
            PageRows = seed % 3 == 0 ? 1 : 200,
            SweepEvery = seed % 5 == 0 ? TimeSpan.FromSeconds(3) : null,
            ForcedWait = TimeSpan.FromSeconds(1),
        };
        foreach (var cluster in Clusters)
        {
            _disks[cluster] = new InMemoryConditionalStore();
            for (var i = 0; i < setting.Silos; i++)
            {
                _silos.Add(Begin(cluster));
            }
        }
    }

    public SimulationScheduler Scheduler { get; }

    public SimulatedNetwork Network { get; }

    public IReadOnlyList<ClusterId> Clusters { get; }

    public History<RegisterCall, int> History { get; } = new();

    public int Applied { get; private set; }

    public int Unknown { get; private set; }

    /// <summary>How often the clusters that keep the register were changed.</summary>
    public int Changes { get; private set; }

    /// <summary>True where so few clusters are left with their stores that they are no majority: nothing can be read then.</summary>
    public bool IsStuck { get; private set; }

    public IConditionalStore Disk(int cluster) => _disks[Clusters[cluster]];

    /// <summary>The stores of the living silos, each with the lane that it must be called on.</summary>
    public IReadOnlyList<(SimulationLane Lane, QuorumConditionalStore Store)> Stores => [.. _silos.Select(s => (s.Lane, s.Store))];

    /// <summary>Clients call, faults happen; then all is well again and every silo reads every key.</summary>
    public void Run(TimeSpan duration, string[] keys) => Scheduler.Run(async () =>
    {
        var until = Scheduler.Time.Elapsed + duration;
        _silos.ForEach(s => StartClients(s, keys, until));
        if (_setting.LosesAStore)
        {
            _ = LoseAStoreAsync(keys, until);
        }

        if (_setting.Changes)
        {
            _ = ChangeKeepersAsync(until, _choices.Tape("changes"));
            _ = ChangeKeepersAsync(until, _choices.Tape("other changes"));
        }

        var givenUp = _setting.GivesUp == 0 ? Task.CompletedTask : GiveUpAsync(keys, until);
        if (_setting.HasFaults)
        {
            await FaultsAsync(until, keys);
        }

        await Task.Delay(until - Scheduler.Time.Elapsed + TimeSpan.FromSeconds(15), Scheduler.Time);
        Network.Heal();
        foreach (var silo in _silos)
        {
            (silo.Way.Options.Late, silo.Way.Options.LostReplies, silo.Way.Options.LostRequests) = (0, 0, 0);
        }

        Network.Options.Loss = 0;

        // What an operator asked for while there were faults ends in its time, and may change the clusters until then.
        await Task.WhenAll(_changes.Where(c => _silos.Contains(c.By)).Select(c => c.Change).Append(givenUp))
            .WaitAsync(TimeSpan.FromMinutes(2), Scheduler.Time);
        foreach (var silo in _silos)
        {
            foreach (var key in keys)
            {
                var end = await silo.Lane.RunAsync(() => ReadAsync(silo, key));
                IsStuck |= !end && _setting is { LosesAStore: true, Changes: true };
                if (IsStuck)
                {
                    return;
                }

                Assert.True(end, $"{silo.Name} cannot read {key} although all is well");
            }
        }

        if (_setting.LosesAStore)
        {
            // One of the disks says nothing any more.
            return;
        }

        // One that goes on with a change that was not through and brings all up to date, one that forgets what was deleted, one that
        // forgets what that left half forgotten; more where others sweep at the same time.
        var last = _silos[0];
        var (sweeps, idle) = (0, 0);
        while (idle < 2)
        {
            var report = await last.Lane.RunAsync(() => last.Store.SweepAsync());
            Assert.True(report.IsComplete);
            idle = report.Repaired + report.Forgotten + report.Remaining == 0 ? idle + 1 : 0;
            Assert.True(++sweeps < 20, $"sweeps do not end: {report}");
        }

        var keepers = await last.Lane.RunAsync(() => last.Store.DescribeKeepersAsync());
        Assert.True(keepers.IsSettled, "the last change is not through although all is well");
        await CheckDisksAsync(keys, keepers.Clusters);
    });

    public HistoryVerdict Check() => LinearizabilityChecker.Check(History, RegisterCall.Model);

    private Silo Begin(ClusterId cluster)
    {
        var name = $"{cluster}/{++_lives}";
        var lane = Scheduler.CreateLane(name);
        var way = new SimulatedStore(
            _disks[cluster], Scheduler, _choices.Tape($"store {name}"), name,
            _setting.HasFaults
                ? new SimulatedStoreOptions
                {
                    MinDelay = TimeSpan.FromMilliseconds(1),
                    LostReplies = 0.03,
                    LostRequests = 0.02,
                    Late = 0.05,
                }
                : new SimulatedStoreOptions { MinDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(1) });
        var store = new QuorumConditionalStore(
            _configuration, way, _options, Scheduler.Time, new Random(_choices.Next(int.MaxValue, "random")));
        var messenger = new RepeatingMessenger(
            Network.Join(cluster, lane), _choices.Tape($"repeats {name}"), _setting.HasFaults ? 0.1 : 0, Scheduler.Time);
        _ = lane.RunAsync(() => Task.FromResult(store.Join(messenger)));
        return new(name, cluster, lane, way, store);
    }

    private async Task FaultsAsync(TimeSpan until, string[] keys)
    {
        var fate = _choices.Tape("faults");
        while (Scheduler.Time.Elapsed < until)
        {
            await Task.Delay(fate.Between(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(2)), Scheduler.Time);
            var (one, other) = (Clusters[fate.Next(Clusters.Count)], Clusters[fate.Next(Clusters.Count)]);
            switch (fate.Next(5))
            {
                case 0 when one != other:
                    Network.Cut(one, other);
                    break;
                case 1:
                    Network.Heal();
                    break;
                case 2:
                    var sweeper = _silos[fate.Next(_silos.Count)];
                    _ = sweeper.Lane.RunAsync(() => sweeper.Store.SweepAsync());
                    break;
                case 3:
                    var index = fate.Next(_silos.Count);
                    _silos[index].Lane.Halt();
                    var silo = _silos[index] = Begin(_silos[index].Cluster);
                    StartClients(silo, keys, until);
                    break;
            }
        }
    }

    // One silo or another takes a cluster in or out; now and then two at once, which must be refused.
    private async Task ChangeKeepersAsync(TimeSpan until, ChoiceTape fate)
    {
        while (Scheduler.Time.Elapsed < until)
        {
            await Task.Delay(fate.Between(TimeSpan.FromMilliseconds(10), TimeSpan.FromMilliseconds(800)), Scheduler.Time);
            var silo = _silos[fate.Next(_silos.Count)];
            var (one, other) = (Clusters[fate.Next(Clusters.Count)], Clusters[fate.Next(Clusters.Count)]);
            var isTwo = one != other && fate.Chance(0.3);
            var change = silo.Lane.RunAsync(() => ChangeKeepersAsync(silo.Store, isTwo ? [one, other] : [one]));
            _changes.Add((silo, change));

            // It may never end: the silo may be gone.
            await Task.WhenAny(change, Task.Delay(TimeSpan.FromSeconds(2), Scheduler.Time));
        }
    }

    private async Task<bool> ChangeKeepersAsync(QuorumConditionalStore store, ClusterId[] clusters)
    {
        try
        {
            var now = (await store.DescribeKeepersAsync()).Clusters;
            var change = await store.ChangeKeepersAsync(
                [.. clusters.Where(c => !now.Contains(c))], [.. clusters.Where(now.Contains)], CancellationToken.None);
            Changes += change.IsMade ? 1 : 0;
            return change.IsMade;
        }
        catch (GeoUnavailableException)
        {
            return false;
        }
    }

    // Now and then by two silos at once. What comes of it may not be known, and is asked for again.
    private async Task GiveUpAsync(string[] keys, TimeSpan until)
    {
        var fate = _choices.Tape("giving up");
        await Task.Delay(fate.Between(TimeSpan.FromMilliseconds(500), TimeSpan.FromSeconds(6)), Scheduler.Time);
        ClusterId[] lost = [.. Clusters.TakeLast(_setting.GivesUp)];
        var gone = _silos.Where(s => lost.Contains(s.Cluster)).ToList();
        gone.ForEach(s => s.Lane.Halt());
        _silos.RemoveAll(gone.Contains);
        for (var made = Changes; made == Changes;)
        {
            await Task.Delay(fate.Between(TimeSpan.FromMilliseconds(10), TimeSpan.FromSeconds(1)), Scheduler.Time);
            var forced = Enumerable.Range(0, fate.Chance(0.3) ? 2 : 1).Select(_ => _silos[fate.Next(_silos.Count)])
                .Select(silo => silo.Lane.RunAsync(() => ForceAsync(silo.Store, lost))).ToList();
            await Task.WhenAny(Task.WhenAll(forced), Task.Delay(TimeSpan.FromSeconds(15), Scheduler.Time));
        }

        await Task.Delay(fate.Between(TimeSpan.Zero, TimeSpan.FromSeconds(2)), Scheduler.Time);
        foreach (var cluster in gone.Select(s => s.Cluster))
        {
            var back = Begin(cluster);
            _silos.Add(back);
            StartClients(back, keys, until);
        }
    }

    private async Task ForceAsync(QuorumConditionalStore store, ClusterId[] lost)
    {
        try
        {
            Changes += (await store.ForceRemoveKeepersAsync(lost)).IsMade ? 1 : 0;
        }
        catch (GeoUnavailableException)
        {
            // One that is left was cut off.
        }
    }

    private async Task LoseAStoreAsync(string[] keys, TimeSpan until)
    {
        var fate = _choices.Tape("loss");
        await Task.Delay(fate.Between(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(8)), Scheduler.Time);
        var cluster = Clusters[fate.Next(Clusters.Count)];

        // As far as anybody has heard a majority is left.
        while (_setting.Changes && Scheduler.Time.Elapsed < until && _silos.Exists(s => s.Store.Keepers.Count < 3))
        {
            await Task.Delay(TimeSpan.FromMilliseconds(50), Scheduler.Time);
        }

        if (Scheduler.Time.Elapsed >= until)
        {
            return;
        }

        _disks[cluster] = new InMemoryConditionalStore();
        for (var i = 0; i < _silos.Count; i++)
        {
            if (_silos[i].Cluster == cluster)
            {
                _silos[i].Lane.Halt();
                StartClients(_silos[i] = Begin(cluster), keys, until);
            }
        }
    }

    /// <summary>
    /// All disks have the same of each key: at once, or when the sweep of another process, which just repeats a value, has done so.
    /// </summary>
    private async Task CheckDisksAsync(string[] keys, IReadOnlyList<ClusterId> keepers)
    {
        foreach (var key in keys)
        {
            var rows = await RowsAsync(key, keepers);
            for (var tries = 0; tries < 20 && rows.Select(r => r?.Accepted ?? Ballot.None).Distinct().Count() > 1; tries++)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(100), Scheduler.Time);
                rows = await RowsAsync(key, keepers);
            }

            Assert.All(rows, r => Assert.Equal(rows[0]?.Accepted ?? Ballot.None, r?.Accepted ?? Ballot.None));

            // The sweep of another process may have asked about a key that had just been forgotten: the next one forgets it again.
            for (var sweeps = 0; sweeps < 3 && _options.SweepEvery is not null && rows[0] is { Value: not { IsLive: true } }; sweeps++)
            {
                await _silos[0].Lane.RunAsync(() => _silos[0].Store.SweepAsync());
                rows = await RowsAsync(key, keepers);
            }

            Assert.True(rows[0] is null or { Value.IsLive: true }, $"of {key} something is left in a store: {rows[0]}");
        }
    }

    private async Task<List<AcceptorRow?>> RowsAsync(string key, IReadOnlyList<ClusterId> keepers)
    {
        var reads = keepers.Select(c => _disks[c].ReadAsync(key)).ToList();
        var rows = new List<AcceptorRow?>();
        foreach (var read in reads)
        {
            var found = await read;
            rows.Add(found.Outcome == StoreReadOutcome.Found ? QuorumCodec.ReadRow(found.Value.Span) : null);
        }

        return rows;
    }

    // Two, so that changes of one process wait for each other and reads come in between.
    private void StartClients(Silo silo, string[] keys, TimeSpan until)
    {
        for (var i = 0; i < 2; i++)
        {
            var tape = _choices.Tape($"client {i} of {silo.Name}");
            _ = silo.Lane.RunAsync(() => ClientAsync(silo, tape, keys, until));
        }
    }

    private async Task ClientAsync(Silo silo, ChoiceTape tape, string[] keys, TimeSpan until)
    {
        var known = new Dictionary<string, ETag?>();
        while (Scheduler.Time.Elapsed < until)
        {
            await Task.Delay(tape.Between(TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(300)), Scheduler.Time);
            var key = keys[tape.Next(keys.Length)];
            switch (tape.Next(10))
            {
                case 0 when _setting.PreparesWrites:
                    await ReadAsync(silo, key, known, toWrite: true);
                    break;
                case < 3:
                    await ReadAsync(silo, key, known);
                    break;
                case 3 when known.GetValueOrDefault(key) is { } etag:
                    await ChangeAsync(silo, key, etag, isDelete: true, known);
                    break;
                default:
                    await ChangeAsync(silo, key, known.GetValueOrDefault(key), isDelete: false, known);
                    break;
            }
        }
    }

    private async Task<bool> ReadAsync(Silo silo, string key, Dictionary<string, ETag?>? known = null, bool toWrite = false)
    {
        var call = History.Call(key, silo.Name, new(null, 0));
        var read = toWrite ? await ((IWritePreparation)silo.Store).ReadToWriteAsync(key) : await silo.Store.ReadAsync(key);
        if (read.Outcome == StoreReadOutcome.Unknown)
        {
            call.Fail();
            return false;
        }

        var value = read.Outcome == StoreReadOutcome.Found
            ? int.Parse(Encoding.UTF8.GetString(read.Value.Span), CultureInfo.InvariantCulture) : 0;
        if (read.ETag is { } etag)
        {
            var first = _values.TryAdd((key, etag.Value), value);
            Assert.True(first || _values[(key, etag.Value)] == value, $"the etag {etag} of {key} stands for two values");
        }

        known?[key] = read.ETag;
        call.Return(value);
        return true;
    }

    private async Task ChangeAsync(Silo silo, string key, ETag? expected, bool isDelete, Dictionary<string, ETag?> known)
    {
        var value = isDelete ? 0 : ++_lastValue;
        var call = History.Call(key, silo.Name, new(expected is { } etag ? _values[(key, etag.Value)] : 0, value));
        var bytes = Encoding.UTF8.GetBytes(value.ToString(CultureInfo.InvariantCulture));
        var write = isDelete ? await silo.Store.DeleteAsync(key, expected!.Value) : await silo.Store.WriteAsync(key, bytes, expected);
        known.Remove(key);
        switch (write.Outcome)
        {
            case StoreWriteOutcome.Applied:
                Applied++;
                call.Return(1);
                if (write.ETag is { } now)
                {
                    Assert.True(_values.TryAdd((key, now.Value), value) || _values[(key, now.Value)] == value);
                    known[key] = now;
                }

                break;
            case StoreWriteOutcome.Conflict:
                call.Return(0);
                await ReadAsync(silo, key, known);
                break;
            default:
                Unknown++;
                break;
        }
    }

    private sealed record Silo(string Name, ClusterId Cluster, SimulationLane Lane, SimulatedStore Way, QuorumConditionalStore Store);
}
