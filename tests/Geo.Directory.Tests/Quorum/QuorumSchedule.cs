using Geo.Directory.Tests.Silos;
using Geo.Testing;

namespace Geo.Directory.Tests.Quorum;

/// <summary>One random schedule: silos of three clusters call a few grains, and whatever can go wrong does.</summary>
internal sealed class QuorumSchedule
{
    /// <summary>
    /// Five leases. A lease of one's own again, from when the time of others counts anew; theirs and a tenth, by a clock as wrong as it may
    /// be; half a lease where the one that is to end it does not; and calls that were refused just before ask again. Where all of it comes
    /// together that is somewhat more than four: once in 170,000 schedules (seed 2111263).
    /// </summary>
    public static readonly TimeSpan Answered = TimeSpan.FromSeconds(10);

    private static readonly GrainKey[] Keys = [new("grain", "a"), new("grain", "b"), new("grain", "c")];

    private readonly QuorumDirectoryWorld _world;
    private readonly ChoiceTape _fate;
    private readonly bool _hasFaultyStore;
    private readonly ChoiceTape? _leaving;
    private int _answered;

    private QuorumSchedule(int seed, bool clustersLeave)
    {
        _world = new(seed, isOrdered: seed % 2 == 0);
        _leaving = clustersLeave ? _world.Choices.Tape("leaving") : null;
        _fate = _world.Choices.Tape("faults");
        _hasFaultyStore = seed % 3 != 0;
    }

    /// <summary>Runs it.</summary>
    /// <param name="seed">What happens.</param>
    /// <param name="faults">For how long.</param>
    /// <param name="clustersLeave">True where one cluster after another leaves, is drained, and returns.</param>
    /// <returns>How many calls were answered, and how many tenancies began.</returns>
    /// <exception cref="Xunit.Sdk.XunitException">A grain was served twice, an epoch did not grow, or a call was not answered.</exception>
    public static (int Answered, int Tenancies) Run(int seed, TimeSpan faults, bool clustersLeave = false)
    {
        var schedule = new QuorumSchedule(seed, clustersLeave);
        schedule._world.Scheduler.Run(() => schedule.RunAsync(faults));
        return (schedule._answered, schedule._world.Tenancies);
    }

    private static ClusterId[] Clusters => [QuorumDirectoryWorld.Us, QuorumDirectoryWorld.Eu, QuorumDirectoryWorld.Asia];

    private VirtualTime Time => _world.Scheduler.Time;

    private async Task RunAsync(TimeSpan faults)
    {
        foreach (var cluster in Clusters)
        {
            for (var i = _fate.Next(2); i >= 0; i--)
            {
                Start(cluster);
            }
        }

        var until = Time.Elapsed + faults;
        var leaving = _leaving is null ? Task.CompletedTask : LeaveAsync(_leaving, until);
        while (Time.Elapsed < until)
        {
            await Task.Delay(_fate.Between(TimeSpan.FromMilliseconds(50), TimeSpan.FromSeconds(1.5)), Time);
            _world.HasLongTurns = Time.Elapsed < until - QuorumSilo.LongTurn;
            Happen();
        }

        foreach (var cluster in Clusters)
        {
            _world.CutOff(cluster, isCut: false);
        }

        foreach (var silo in _world.Silos)
        {
            silo.Lane.Thaw();
            (silo.Way.Options.Late, silo.Way.Options.LostReplies, silo.Way.Options.LostRequests) = (0, 0, 0);
        }

        foreach (var cluster in Clusters.Where(c => !_world.Silos.Any(s => s.Cluster == c)))
        {
            Start(cluster);
        }

        await leaving;
        await Task.WhenAll(_world.Silos.SelectMany(silo => Keys.Select(key => _world.AnsweredAsync(silo, key, Answered))));
    }

    /// <summary>A cluster that has left holds nothing: it is drained until that is so, and no silo of it takes a grain meanwhile.</summary>
    private async Task LeaveAsync(ChoiceTape tape, TimeSpan until)
    {
        for (var version = 2; Time.Elapsed < until; version++)
        {
            await Task.Delay(tape.Between(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(5)), Time);
            var leaving = Clusters[tape.Next(3)];
            _world.Clusters = new(
                new ConfigurationStamp(version, 0),
                Clusters.ToDictionary(c => c, c => c == leaving ? ClusterStage.Leaving : ClusterStage.Member));
            while (!await IsDrainedAsync(leaving))
            {
                await Task.Delay(TimeSpan.FromSeconds(0.5), Time);
                Assert.True(Time.Elapsed < until + TimeSpan.FromSeconds(30), $"'{leaving}' is not drained");
            }

            _world.Clusters = null;
        }
    }

    private async Task<bool> IsDrainedAsync(ClusterId leaving)
    {
        var silos = _world.Silos.Where(s => s.Cluster == leaving).ToList();
        var passes = silos.Select(s => s.Lane.RunAsync(async () =>
        {
            try
            {
                return (await s.Directory.DrainAsync(CancellationToken.None)).Held;
            }
            catch (GeoUnavailableException)
            {
                return null;
            }
        })).ToList();

        // A silo that crashes or stands still says nothing.
        await Task.Delay(TimeSpan.FromSeconds(3), Time);
        return passes.Count > 0 && passes.TrueForAll(p => p is { IsCompletedSuccessfully: true, Result: 0 });
    }

    private void Start(ClusterId cluster)
    {
        // No clock runs a tenth faster than another; some walls are wrong altogether.
        var clock = new PausedClock(new RatedClock(Time, 0.96 + (_fate.Next(81) / 1000.0)));
        clock.SetWall(TimeSpan.FromSeconds(_fate.Next(200) - 100));
        var silo = _world.Start(
            cluster, clock,
            _hasFaultyStore
                ? new() { LostReplies = 0.04, LostRequests = 0.03, Late = 0.04 }
                : new() { MinDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(300) });
        var tape = _world.Choices.Tape($"calls of {silo.Node}");
        _ = silo.Lane.RunAsync(() => CallAsync(silo, tape));
    }

    private async Task CallAsync(QuorumSilo silo, ChoiceTape tape)
    {
        while (true)
        {
            await Task.Delay(tape.Between(TimeSpan.FromMilliseconds(5), TimeSpan.FromMilliseconds(400)), Time);
            var key = Keys[tape.Next(Keys.Length)];
            switch (tape.Next(8))
            {
                case 0:
                    await silo.ReleaseAsync(key);
                    break;
                case 1 when _world.Silos.FirstOrDefault(s => s != silo && s.Cluster == silo.Cluster) is { } sibling:
                    await silo.MoveAsync(key, sibling);
                    break;
                default:
                    _answered += await silo.CallAsync(key) ? 1 : 0;
                    break;
            }
        }
    }

    private void Happen()
    {
        if (_world.Silos.Count == 0)
        {
            Start(Clusters[_fate.Next(3)]);
            return;
        }

        var silo = _world.Silos[_fate.Next(_world.Silos.Count)];
        switch (_fate.Next(7))
        {
            case 0:
                _world.CutOff(silo.Cluster);
                break;
            case 1:
                _world.CutOff(Clusters[_fate.Next(3)], isCut: false);
                break;
            case 2:
                _world.Crash(silo);
                break;
            case 3:
                Start(Clusters[_fate.Next(3)]);
                break;
            case 4:
                silo.Lane.Freeze();
                break;
            case 5:
                silo.Lane.Thaw();
                break;
            case 6:
                silo.Way.Options.Unreachable = !silo.Way.Options.Unreachable;
                break;
        }
    }
}
