using System.Collections.Immutable;
using Geo.Directory.Tests.Silos;
using Geo.Testing;

namespace Geo.Directory.Tests;

/// <summary>
/// Clusters of real leases and configurations over stores that lose, delay and repeat: silos crash, freeze and start, clusters come and go
/// by whoever asks. After every step: of silos that serve none is more than one version behind another, and a version is one document.
/// That is what the rules of the directory rely on (<see cref="ChangingClusters"/>).
/// </summary>
internal sealed class KeptClusters
{
    public static readonly TimeSpan Lease = TimeSpan.FromSeconds(3), Refresh = TimeSpan.FromMilliseconds(300);

    private static readonly string[] Names = ["a", "b", "c"];

    private readonly Random _random;
    private readonly Dictionary<long, long> _digests = [];
    private readonly ConfigurationDocument _first;
    private int _started;

    public KeptClusters(int seed)
    {
        _random = new Random(seed);
        Scheduler = new SimulationScheduler(order: new ChoiceTape("order", new Random(seed + 1)));
        Scheduler.AfterStep = _ => Check();
        foreach (var name in Names)
        {
            var id = new ClusterId(name);
            All.Add(new(
                id, new SiblingNet(Time), Store(new InMemoryConditionalStore(), $"{name}.rows"), Store(Shared, $"{name}.shared")));
        }

        _first = ConfigurationDocument.First(
            new Guid(seed, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
            Names[..2].Select(c => KeyValuePair.Create(new ClusterId(c), ImmutableArray<string>.Empty)));
    }

    public SimulationScheduler Scheduler { get; }

    public VirtualTime Time => Scheduler.Time;

    public InMemoryConditionalStore Shared { get; } = new();

    public List<KeptCluster> All { get; } = [];

    /// <summary>The highest version that a silo has worked with.</summary>
    public long Version => _digests.Count == 0 ? 0 : _digests.Keys.Max();

    private IEnumerable<KeptSilo> Silos => All.SelectMany(c => c.Silos);

    public Task PassAsync(double seconds) => Task.Delay(TimeSpan.FromSeconds(seconds), Time);

    public async Task<KeptSilo> StartAsync(KeptCluster cluster)
    {
        var (silo, refused) = await TryStartAsync(cluster);
        Assert.Null(refused);
        return silo;
    }

    public async Task<(KeptSilo Silo, Exception? Refused)> TryStartAsync(KeptCluster cluster, Func<Task>? loaded = null)
    {
        var node = $"{cluster.Id}/{++_started}";
        var silo = new KeptSilo(cluster, node, Scheduler.CreateLane(node), cluster.Way, Time)
        {
            Loaded = loaded ?? (() => Task.CompletedTask),
        };
        cluster.Silos.Add(silo);
        var starting = silo.StartAsync(_first);
        while (!starting.IsCompleted && !silo.Lane.IsHalted)
        {
            await PassAsync(0.05);
        }

        if (silo.Lane.IsHalted)
        {
            return (silo, new GeoUnavailableException("it crashed"));
        }

        var refused = await starting;
        if (refused is not null)
        {
            silo.Crash();
        }

        return (silo, refused);
    }

    /// <summary>Changes the clusters as an operator does, until it is done.</summary>
    public async Task<ConfigurationChange> AskAsync(KeptSilo silo, Func<IGeoConfiguration, ValueTask<ConfigurationChange>> change)
    {
        for (var tries = 0; ; tries++)
        {
            var made = await silo.Lane.RunAsync(() => change(silo.Administration).AsTask());
            if (made.IsMade || tries == 100)
            {
                return made;
            }

            await PassAsync(0.5);
        }
    }

    public async Task UntilAsync(Func<bool> condition, double seconds = 60)
    {
        for (var limit = Time.Elapsed + TimeSpan.FromSeconds(seconds); !condition(); await PassAsync(0.1))
        {
            Assert.True(Time.Elapsed < limit, $"not within {seconds} s");
        }
    }

    /// <summary>Some tens of seconds of faults.</summary>
    public async Task LiveAsync()
    {
        foreach (var cluster in All)
        {
            for (var silos = 1 + _random.Next(2); silos > 0; silos--)
            {
                await StartAsync(cluster);
            }
        }

        foreach (var store in All.SelectMany(c => new[] { c.Rows, c.Way }))
        {
            (store.Options.LostRequests, store.Options.LostReplies, store.Options.Late) =
                (_random.NextDouble() * 0.05, _random.NextDouble() * 0.05, _random.NextDouble() * 0.05);
        }

        for (var steps = 80; steps > 0; steps--)
        {
            Act();
            await PassAsync(_random.NextDouble() * 1.5);
        }
    }

    /// <summary>All silos stop, the configuration store goes back to a backup, and what the clusters have processed is removed.</summary>
    public async Task SetBackAsync(byte[] backup)
    {
        foreach (var silo in All.SelectMany(c => c.Living).ToList())
        {
            silo.Crash();
        }

        await SetAsync(Shared, ConfigurationDocuments.Key, backup);
        foreach (var cluster in All)
        {
            await SetAsync(cluster.Rows, StoredConfiguration.Key, null);
        }

        _digests.Clear();
    }

    /// <summary>Writes a row whatever it holds; null removes it.</summary>
    public static async Task SetAsync(IConditionalStore store, string key, byte[]? value)
    {
        var read = await store.ReadAsync(key);
        _ = value is null
            ? (await store.DeleteAsync(key, read.ETag!.Value)).Outcome
            : (await store.WriteAsync(key, value, read.ETag)).Outcome;
    }

    /// <summary>From now on all stores answer, nobody stands still, and each cluster has a silo that serves.</summary>
    public async Task HealAsync()
    {
        foreach (var store in All.SelectMany(c => new[] { c.Rows, c.Way }))
        {
            store.Options.Unreachable = false;
            (store.Options.LostRequests, store.Options.LostReplies, store.Options.Late) = (0, 0, 0);
        }

        foreach (var silo in Silos.Where(s => s.Lane.IsFrozen))
        {
            silo.Lane.Thaw();
        }

        await PassAsync(Lease.TotalSeconds * 2);
        foreach (var fenced in Silos.Where(s => !s.Lane.IsHalted && s.Cluster.IsFenced))
        {
            // As its host does.
            fenced.Crash();
        }

        foreach (var cluster in All.Where(c => !c.Living.Any(s => s.Serves)))
        {
            await StartAsync(cluster);
        }
    }

    private static SimulatedStore Any(KeptCluster cluster, Random random) => random.Next(2) == 0 ? cluster.Rows : cluster.Way;

    private SimulatedStore Store(IConditionalStore inner, string name) => new(
        inner, Scheduler, new ChoiceTape(name, new Random(name.Length + _random.Next())), name);

    private void Act()
    {
        var cluster = All[_random.Next(All.Count)];
        switch (_random.Next(10))
        {
            case 0:
                if (cluster.Living.ToList() is { Count: > 0 } living)
                {
                    living[_random.Next(living.Count)].Crash(noticed: _random.Next(4) > 0);
                }

                break;
            case 1 or 2:
                if (cluster.Living.Count() < 3)
                {
                    _ = TryStartAsync(cluster);
                }

                break;
            case 3:
                if (_random.Next(2) == 0 && cluster.Living.FirstOrDefault() is { } freezing)
                {
                    freezing.Lane.Freeze();
                }

                break;
            case 4:
                foreach (var silo in Silos.Where(s => s.Lane.IsFrozen))
                {
                    silo.Lane.Thaw();
                }

                break;
            case 5:
                var store = Any(cluster, _random);
                store.Options.Unreachable = !store.Options.Unreachable && _random.Next(3) == 0;
                break;
            default:
                Change(cluster);
                break;
        }
    }

    private void Change(KeptCluster cluster)
    {
        if (Silos.Where(s => s.Serves).ToList() is not { Count: > 0 } serving)
        {
            return;
        }

        var asked = serving[_random.Next(serving.Count)];
        var isForced = _random.Next(30) == 0;
        cluster.IsForcedOut |= isForced;
        _ = asked.Lane.RunAsync(async () =>
        {
            try
            {
                _ = isForced ? await asked.Administration.ForceRemoveAsync([cluster.Id])
                    : _random.Next(2) == 0 ? await asked.Administration.RemoveAsync(cluster.Id)
                    : await asked.Administration.AddAsync(cluster.Id, []);
            }
            catch (GeoUnavailableException)
            {
                // As an operator is told.
            }
        });
    }

    private void Check()
    {
        var serving = All.Where(c => !c.IsForcedOut).SelectMany(c => c.Silos).Where(s => s.Serves).ToList();
        foreach (var works in serving.Select(s => s.Works!.Stamp))
        {
            if (!_digests.TryAdd(works.Version, works.Digest) && _digests[works.Version] != works.Digest)
            {
                throw new SimulationException($"There are two versions {works.Version} at {Time.Elapsed}.");
            }
        }

        if (serving.MaxBy(s => s.Works!.Version) is not { } newest)
        {
            return;
        }

        // A cluster that has gone may be behind: nobody lets it pass.
        var behind = serving.Where(s => s.Works!.Version < newest.Works!.Version - 1)
            .Where(s => newest.Keeper.Present.Clusters.ContainsKey(s.Id)).ToList();
        if (behind.Count > 0)
        {
            var who = string.Join(", ", behind.Select(s => $"{s.Node} with {s.Works!.Version}"));
            throw new SimulationException(
                $"{newest.Node} serves with {newest.Works!.Version} of the configuration beside {who} at {Time.Elapsed}.");
        }
    }
}
