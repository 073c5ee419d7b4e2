using System.Globalization;
using Geo.Consistency.Lattices;

namespace Geo.Testing;

/// <summary>
/// One random run in which the list of clusters, or the number of replicas, changes under grains that some of the clusters have: clusters
/// stop in an orderly way, or crash where others have all, and start with the new settings one by one, in any order. Nothing is lost.
/// </summary>
internal sealed class LatticeMoveSchedule : ILatticeSchedule
{
    private const int Keys = 6;

    private readonly bool _isHot;
    private readonly Random _random;
    private readonly LatticeWorld _world;
    private readonly Dictionary<string, long> _added = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> _stock = new(StringComparer.Ordinal);
    private readonly List<(string Key, string Item)> _kept = [];
    private readonly List<string> _events = [];
    private string[] _clusters = ["a", "b", "c"];
    private int _replicas;
    private bool _hasCrashed;

    /// <param name="seed">Decides everything.</param>
    /// <param name="isStored">True where clusters have stores.</param>
    /// <param name="isHot">True where clusters take replicas for a while of what is called there.</param>
    internal LatticeMoveSchedule(int seed, bool isStored = false, bool isHot = false)
    {
        _isHot = isHot;
        _random = new Random(seed);
        _replicas = _random.Next(1, 3);
        _world = new LatticeWorld(
            seed,
            _clusters,
            new SimulatedNetworkOptions
            {
                MinDelay = TimeSpan.FromMilliseconds(10),
                MaxDelay = TimeSpan.FromMilliseconds(_random.Next(3) == 0 ? 1000 : 100),
                Loss = _random.Next(2) == 0 ? 0.2 : 0,
                Duplication = _random.Next(3) == 0 ? 0.2 : 0,
            },
            OptionsWith(),
            isStored,
            replicas: _replicas,
            hasStock: true,
            maxSteps: ILatticeSchedule.MaxSteps);
        foreach (var name in _clusters)
        {
            _world.ReplicasOf[name] = _replicas;
        }
    }

    /// <inheritdoc/>
    public (long Steps, TimeSpan Time) Taken => (_world.Scheduler.Steps, _world.Scheduler.Time.Elapsed);

    /// <inheritdoc/>
    public string Contents => string.Join(
        "; ", _clusters.Select(name => $"{name}: {string.Join(", ", _world.Contents(name).Select(c => $"{c.Key}={c.Value}"))}"));

    /// <inheritdoc/>
    public string? Run()
    {
        string? violation = null;
        _world.Run(async () =>
        {
            await _world.Delay(_random.Next(3));
            for (var change = 0; change < 2 && violation is null; change++)
            {
                violation = await ChangeAsync();
            }

            violation ??= await SettleAsync() ?? Check();
        });
        return violation is null ? null : $"{violation}; {string.Join("; ", _events)}";
    }

    private async Task<string?> ChangeAsync()
    {
        string? leaving = null;
        switch (_random.Next(3))
        {
            case 0 when !_clusters.Contains("d"):
                _clusters = [.. _clusters, "d"];
                break;
            case 1 when _clusters.Length > 2:
                leaving = _clusters[_random.Next(_clusters.Length)];
                break;
            default:
                _replicas = _random.Next(1, 4);
                break;
        }

        var violation = await RollAsync(leaving);
        if (violation is not null || leaving is null)
        {
            return violation;
        }

        await WorkAsync();
        if (await SettleAsync() is { } unsettled)
        {
            return unsettled;
        }

        _clusters = [.. _clusters.Where(c => c != leaving)];
        return await StopAsync(leaving) ?? await RollAsync(leaving: null);
    }

    /// <summary>Has the clusters, in any order, start with the present settings.</summary>
    private async Task<string?> RollAsync(string? leaving)
    {
        var names = _clusters.ToArray();
        _random.Shuffle(names);
        foreach (var name in names)
        {
            await WorkAsync();
            if (await StopAsync(name) is { } violation)
            {
                return violation;
            }

            _world.ClustersOf[name] = [.. _clusters.Select(c => new ClusterId(c))];
            _world.ReplicasOf[name] = _replicas;
            _world.OptionsOf[name] = OptionsWith(leaving);
            _world.Start(name);
            Note($"{name} begins with {string.Join(',', _clusters)} but {leaving ?? "nobody"}, {_replicas} replicas");
        }

        return null;
    }

    private async Task<string?> StopAsync(string name)
    {
        if (!_world.Live.Contains(name))
        {
            return null;
        }

        // One that crashes must not be the only one that has something.
        if (_random.Next(3) == 0 && _world.Live.All(n => _world.ReplicasOf[n] > 1)
            && await SettleAsync() is null)
        {
            _hasCrashed = true;
            Note($"{name} crashes");
            _world.Crash(name);
            return null;
        }

        await _world.Delay(_random.NextDouble() * 10);
        Note($"{name} stops");
        return await _world.StopAsync(name, 60) ? null : $"{name} cannot hand over what it has";
    }

    private void Note(string what) => _events.Add(string.Create(
        CultureInfo.InvariantCulture, $"{_world.Scheduler.Time.Elapsed.TotalSeconds:0.0} {what}"));

    private async Task WorkAsync()
    {
        for (var i = 0; i < 10; i++)
        {
            var live = _world.Live.ToArray();
            var (name, key) = (live[_random.Next(live.Length)], $"{_random.Next(Keys)}");
            try
            {
                await WorkAsync(name, key);
            }
            catch (GeoUnavailableException)
            {
                // The settings of the clusters differ: a grain that moves is refused meanwhile.
            }

            await _world.Delay(_random.NextDouble() * 0.5);
        }
    }

    private async Task WorkAsync(string name, string key)
    {
        switch (_random.Next(4))
        {
            case 0:
                await _world.Count(name, key, 1);
                _added[key] = _added.GetValueOrDefault(key) + 1;
                break;
            case 1:
                var item = string.Create(CultureInfo.InvariantCulture, $"kept {_kept.Count}");
                await _world.Put(name, key, item);
                _kept.Add((key, item));
                Note($"{item} to {key} from {name}");
                break;
            case 2:
                await _world.Stock(name, key, 3);
                _stock[key] = _stock.GetValueOrDefault(key) + 3;
                break;
            default:
                _stock[key] = _stock.GetValueOrDefault(key) - (await _world.TakeStock(name, key) ? 1 : 0);
                break;
        }
    }

    /// <summary>Waits until nothing moves any more.</summary>
    /// <returns>What does not end; null where it does.</returns>
    private async Task<string?> SettleAsync()
    {
        if (_world.Live.Any(name => !ListOf(name).Order(StringComparer.Ordinal).SequenceEqual(_world.Live)))
        {
            return "some do not live, or do not know each other";
        }

        for (var second = 0; second < 300; second++)
        {
            await _world.Delay(1);
            var all = _world.Live.SelectMany(_world.Exchanges).ToList();
            if (all.TrueForAll(e => !e.IsMoving && e.Lags().Count == 0))
            {
                return null;
            }
        }

        return $"it does not settle: {string.Join('\n', _world.Live.SelectMany(
            n => _world.Exchanges(n).Where(e => e.IsMoving || e.Lags().Count > 0).Select(e => $"{n}: {e.Node}")))}";

        IEnumerable<string> ListOf(string name) =>
            _world.ClustersOf.GetValueOrDefault(name, [.. _world.Clusters]).Select(c => c.Name);
    }

    private string? Check()
    {
        if (_world.Errors is [var error, ..])
        {
            return error;
        }

        foreach (var (key, added) in _added)
        {
            var shown = _clusters.Select(name => _world.State<PnCounter>(name, new("counter", key)).Value).ToList();
            if (shown.Exists(s => s != added))
            {
                return $"counter {key} shows {string.Join(", ", shown)} instead of {added}";
            }
        }

        foreach (var (key, item) in _kept)
        {
            if (!_clusters.All(name => _world.State<Dotted<OrSet<string>>>(name, new("set", key)).Content.Contains(item)))
            {
                return $"'{item}' is missing in set/{key}";
            }
        }

        return _stock.Select(s => CheckStock(new("stock", s.Key), s.Value)).FirstOrDefault(wrong => wrong is not null);
    }

    private string? CheckStock(GrainKey grain, long stock)
    {
        var holders = _clusters.Where(name => _world.IsHeldIn(name, grain)).ToList();
        var rights = holders.SelectMany(_world.Exchanges).Sum(
            e => e.Node.Data.Cells.Find(grain) is LatticeCell<EscrowCounter> cell ? cell.State.Rights(e.Node.Data.Id) : 0);
        var shown = holders.ConvertAll(name => _world.State<EscrowCounter>(name, grain).Value);
        return shown.Exists(s => s != stock) ? $"{grain} shows {string.Join(", ", shown)} instead of {stock}"
            : rights > stock || (rights < stock && !_hasCrashed) ? $"of {grain}, {rights} can be taken, and {stock} are there: "
                + LatticeForm.ToJson(_world.State<EscrowCounter>(holders[0], grain))
            : null;
    }

    private LatticeOptions OptionsWith(string? leaving = null) => new()
    {
        HotRate = _isHot ? 0.3 : 0,
        HotFor = TimeSpan.FromSeconds(2),
        MaxRetryAfter = TimeSpan.FromSeconds(4),
        StatusInterval = TimeSpan.FromSeconds(1),
        LeavingClusters = leaving is null ? [] : [leaving],
    };
}
