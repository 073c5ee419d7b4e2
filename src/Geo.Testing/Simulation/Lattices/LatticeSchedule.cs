using Geo.Consistency.Lattices;

namespace Geo.Testing;

/// <summary>One random run of three clusters, with stores or without, and what has to hold at its end.</summary>
internal sealed class LatticeSchedule : ILatticeSchedule
{
    private static readonly string[] Names = ["a", "b", "c"];

    private readonly Random _random;
    private readonly LatticeWorld _world;

    // What each life of a cluster has added to each counter: a counter never shows more, nor less of one that lives or was stored.
    private readonly Dictionary<(ReplicaId Source, string Key), long> _added = [];
    private readonly Dictionary<(ReplicaId Source, string Key), long> _stored = [];
    private readonly HashSet<ReplicaId> _dead = [];

    // What was added to sets by whom, and is removed by nobody.
    private readonly List<(ReplicaId Source, string Key, string Item)> _kept = [];

    // What of these was removed since, and by whom.
    private readonly List<(ReplicaId Source, string Key, string Item)> _gone = [];
    private int _items;

    private readonly bool _isPartial;
    private readonly bool _isHot;

    // A cluster that has not the room for all that the others have, until it starts anew at the end.
    private readonly string? _narrow;

    /// <param name="seed">Decides everything.</param>
    /// <param name="isStored">True where clusters have stores, which lose, delay and hang.</param>
    /// <param name="replicas">How many clusters have a replica of each grain; 0 for all.</param>
    /// <param name="isHot">True where the others take one for a while of what is called there.</param>
    internal LatticeSchedule(int seed, bool isStored = false, int replicas = 0, bool isHot = false)
    {
        (_isPartial, _isHot) = (replicas > 0, isHot);
        _random = new Random(seed);
        var maxFrameBytes = _random.Next(3) == 0 ? 1024 : 1024 * 1024;
        _world = new LatticeWorld(
            seed,
            Names,
            new SimulatedNetworkOptions
            {
                MinDelay = TimeSpan.FromMilliseconds(10),
                MaxDelay = TimeSpan.FromMilliseconds(_random.Next(3) == 0 ? 2000 : 100),
                Loss = _random.Next(3) == 0 ? 0.3 : 0,
                Duplication = _random.Next(3) == 0 ? 0.2 : 0,
            },
            OptionsWith(maxFrameBytes, int.MaxValue, LatticeLimits.Default),
            isStored,
            replicas: replicas,
            maxSteps: ILatticeSchedule.MaxSteps);
        if (_random.Next(4) == 0)
        {
            _narrow = Names[_random.Next(Names.Length)];
            _world.OptionsOf[_narrow] = _random.Next(2) == 0
                ? OptionsWith(maxFrameBytes, _random.Next(1, 8), LatticeLimits.Default)
                : OptionsWith(maxFrameBytes, int.MaxValue, new() { MaxBytes = _random.Next(10, 60) });
            _world.Crash(_narrow);
            _world.Start(_narrow);
        }

        if (_random.Next(4) == 0)
        {
            // Until it starts anew; its rows, and what it has told, stay.
            var wrong = Names[_random.Next(Names.Length)];
            _world.AheadOf[wrong] = TimeSpan.FromHours(1);
            _world.Crash(wrong);
            _world.Start(wrong);
            _world.AheadOf.Clear();
        }

        if (isStored)
        {
            foreach (var name in Names)
            {
                var store = _world.StoreOf(name).Options;
                (store.LostRequests, store.LostReplies, store.Late) = _random.Next(3) == 0 ? (0.1, 0.1, 0.1) : (0, 0, 0);
                store.IgnoresTokens = _random.Next(2) == 0;
            }
        }
    }

    /// <inheritdoc/>
    public (long Steps, TimeSpan Time) Taken => (_world.Scheduler.Steps, _world.Scheduler.Time.Elapsed);

    /// <summary>How many updates were made at replicas that clusters had because parts were hot.</summary>
    internal int UpdatesAtGuests => _world.UpdatesAtGuests;

    /// <inheritdoc/>
    public string Contents => Text(Accepted());

    /// <inheritdoc/>
    public string? Run()
    {
        string? violation = null;
        _world.Run(async () =>
        {
            await _world.Delay(_random.Next(2));
            for (var step = 0; step < (_isHot ? 120 : 60); step++)
            {
                await StepAsync();
                await _world.Delay(_random.NextDouble() * 0.3);
            }

            if (_isHot)
            {
                // What one makes that is cut off must outlive that its parts cool meanwhile.
                _world.Network.Isolate(new(Names[_random.Next(Names.Length)]));
                for (var step = 0; step < 10; step++)
                {
                    await StepAsync();
                    await _world.Delay(_random.NextDouble() * 0.1);
                }

                await _world.Delay(_random.Next(15));
            }

            _world.Network.Heal();
            _world.Network.Options.Loss = 0;
            foreach (var store in _world.Stores)
            {
                (store.Options.LostRequests, store.Options.LostReplies, store.Options.Late) = (0, 0, 0);
                store.EndHanging();
            }

            foreach (var name in Names.Except(_world.Live).ToArray())
            {
                _world.Start(name);
            }

            if (_narrow is not null)
            {
                await _world.Delay(10);
                await CrashAsync(_narrow);
                _world.OptionsOf.Clear();
                _world.Start(_narrow);
            }

            await _world.Delay(45);
            violation = Check();
        });
        return violation;
    }

    private async Task StepAsync()
    {
        var name = Names[_random.Next(Names.Length)];
        if (!_world.Live.Contains(name))
        {
            if (_random.Next(4) == 0)
            {
                _world.Start(name);
            }

            return;
        }

        try
        {
            await StepAsync(name, $"{_random.Next(_isHot ? 2 : 4)}", $"{_random.Next(3)}");
        }
        catch (GeoUnavailableException) when (_isPartial || name == _narrow)
        {
            // It has no room, or no cluster lives that has the grain.
        }
    }

    private async Task StepAsync(string name, string key, string item)
    {
        switch (_random.Next(_world.IsStored ? 24 : 20))
        {
            case < 5:
                var source = await _world.Count(name, key, 1);
                _added[(source, key)] = _added.GetValueOrDefault((source, key)) + 1;
                break;
            case < 8:
                await _world.Put(name, key, item);
                break;
            case 8:
                var kept = $"kept {++_items}";
                _kept.Add((await _world.Put(name, key, kept), key, kept));
                break;
            case < 13:
                await _world.Take(name, key, item);
                break;
            case 13:
                await RemoveAsync(name);
                break;
            case < 15:
                await _world.Write(name, key, item);
                break;
            case 15:
                var other = Names[_random.Next(Names.Length)];
                _world.Network.Cut(new(name), new(other));
                break;
            case 16:
                _world.Network.Isolate(new(name));
                break;
            case 17 when _random.Next(3) == 0:
                await CrashAsync(name);
                break;
            case < 20:
                _world.Network.Heal();
                break;
            case 20 or 21:
                _ = NoteWhenStoredAsync(name, key);
                break;
            case 22:
                var store = _world.StoreOf(name);
                if (store.Options.Hangs)
                {
                    store.EndHanging();
                }
                else
                {
                    store.Options.Hangs = true;
                }

                break;
            default:
                if (_random.Next(3) == 0)
                {
                    // What no store has is lost.
                    foreach (var live in _world.Live.ToArray())
                    {
                        await CrashAsync(live);
                    }
                }

                break;
        }
    }

    /// <summary>Removes one of the items that nobody else removes, as far as the cluster has it.</summary>
    private async Task RemoveAsync(string name)
    {
        var there = _kept.FindIndex(k => _world.State<Dotted<OrSet<string>>>(name, new("set", k.Key)).Content.Contains(k.Item));
        if (there >= 0)
        {
            var (_, key, item) = _kept[there];
            _kept.RemoveAt(there);
            _gone.Add((await _world.Take(name, key, item), key, item));
        }
    }

    private async Task CrashAsync(string name)
    {
        _dead.UnionWith(await _world.SourcesOfAsync(name));
        _world.Crash(name);
    }

    private async Task NoteWhenStoredAsync(string name, string key)
    {
        var source = await _world.SourceOfAsync(name, new("counter", key));
        var added = _added.GetValueOrDefault((source, key));
        await _world.StoredAsync(name, key);
        _stored[(source, key)] = Math.Max(added, _stored.GetValueOrDefault((source, key)));
    }

    private string? Check()
    {
        if (_world.Errors.Find(e => _narrow is null || !(IsOf(e, "put aside") || IsOf(e, "cannot be stored"))) is { } error)
        {
            return error;
        }

        var first = Accepted();
        foreach (var name in Names)
        {
            if (_world.Exchanges(name).FirstOrDefault(e => e.IsVisiting) is { } guest)
            {
                return $"{name} has not handed over what it has of a part that is hot no more: {guest.Node}";
            }

            var contents = Served(name);
            if (!contents.SequenceEqual(first.Where(c => _world.IsHeldIn(name, GrainKey.Parse(c.Key)))))
            {
                var nodes = string.Join('\n', Names.SelectMany(n => _world.Exchanges(n).Select(e => $"{n}: {e.Node}")));
                return $"of {Text(first)}, {name} has {Text(contents)}\n{nodes}";
            }
        }

        foreach (var key in _added.Keys.Select(k => k.Key).Distinct())
        {
            var shown = _world.State<PnCounter>("a", new("counter", key)).Value;
            var least = _added.Where(a => a.Key.Key == key)
                .Sum(a => _dead.Contains(a.Key.Source) ? _stored.GetValueOrDefault(a.Key) : a.Value);
            var most = _added.Where(a => a.Key.Key == key).Sum(a => a.Value);
            if (shown < least || shown > most)
            {
                return $"counter {key} shows {shown}, which is not within {least} and {most}";
            }
        }

        foreach (var (source, key, item) in _kept.Where(k => !_dead.Contains(k.Source)))
        {
            if (!_world.State<Dotted<OrSet<string>>>("a", new("set", key)).Content.Contains(item))
            {
                return $"'{item}' is missing in {Text(first)}, though {source} added it to set/{key} and nobody removed it";
            }
        }

        foreach (var (source, key, item) in _gone.Where(k => !_dead.Contains(k.Source)))
        {
            if (_world.State<Dotted<OrSet<string>>>("a", new("set", key)).Content.Contains(item))
            {
                return $"'{item}' is in {Text(first)}, though {source} removed it from set/{key}";
            }
        }

        return _world.Live.Select(StaleRow).FirstOrDefault(row => row is not null);
    }

    /// <summary>What a cluster has of the grains that it serves: others it may have had while they were hot.</summary>
    private IEnumerable<KeyValuePair<string, string>> Served(string name) =>
        _world.Contents(name).Where(c => _world.IsHeldIn(name, GrainKey.Parse(c.Key)));

    /// <summary>What the first cluster with a replica of each grain has.</summary>
    private SortedDictionary<string, string> Accepted()
    {
        var all = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (var (grain, content) in Names.SelectMany(Served))
        {
            all.TryAdd(grain, content);
        }

        return all;
    }

    /// <summary>What a cluster has and its store lacks; null when it lacks nothing.</summary>
    private string? StaleRow(string name) =>
        !_world.Exchanges(name).All(e => e.IsLoaded) ? $"{name} has not read its store"
        : _world.Exchanges(name).Sum(e => e.Unsaved) is > 0 and var unsaved ? $"{name} has {unsaved} states that its store lacks"
        : null;

    private static bool IsOf(string error, string kind) => error.Contains(kind, StringComparison.Ordinal);

    private LatticeOptions OptionsWith(int maxFrameBytes, int maxGrains, LatticeLimits limits) => new()
    {
        MaxFrameBytes = maxFrameBytes,
        MaxRetryAfter = TimeSpan.FromSeconds(4),
        StatusInterval = TimeSpan.FromSeconds(1),
        CollectInterval = TimeSpan.FromMilliseconds(300),
        StorageTimeout = TimeSpan.FromSeconds(2),
        MaxSaving = 2,
        MaxGrains = maxGrains,
        HotRate = _isHot ? 0.3 : 0,
        HotFor = TimeSpan.FromSeconds(2),
        RepairAfter = TimeSpan.FromSeconds(_isHot ? 0.3 : 1),
        Limits = limits,
    };

    private static string Text(IEnumerable<KeyValuePair<string, string>> contents) =>
        string.Join("; ", contents.Select(c => $"{c.Key}={c.Value}"));
}
