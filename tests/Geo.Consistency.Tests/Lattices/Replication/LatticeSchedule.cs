using Geo.Consistency.Lattices;
using Geo.Testing;

namespace Geo.Consistency.Tests.Lattices.Replication;

/// <summary>One random run of three clusters, and what has to hold at its end.</summary>
internal sealed class LatticeSchedule
{
    private static readonly string[] Names = ["a", "b", "c"];

    private readonly Random _random;
    private readonly LatticeWorld _world;

    // What each life of a cluster has added to each counter: a counter never shows more, nor less of one that lives.
    private readonly Dictionary<(ReplicaId Source, string Key), long> _added = [];
    private readonly HashSet<ReplicaId> _dead = [];

    internal LatticeSchedule(int seed)
    {
        _random = new Random(seed);
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
            new LatticeOptions
            {
                MaxFrameBytes = _random.Next(3) == 0 ? 1024 : 1024 * 1024,
                MaxRetryAfter = TimeSpan.FromSeconds(4),
                StatusInterval = TimeSpan.FromSeconds(1),
                CollectInterval = TimeSpan.FromMilliseconds(300),
            });
    }

    internal string? Violation { get; private set; }

    /// <summary>What is wrong at the end; null when nothing is.</summary>
    internal string? Run()
    {
        _world.Run(async () =>
        {
            await _world.Delay(_random.Next(2));
            for (var step = 0; step < 60; step++)
            {
                await StepAsync();
                await _world.Delay(_random.NextDouble() * 0.3);
            }

            _world.Network.Heal();
            _world.Network.Options.Loss = 0;
            foreach (var name in Names.Except(_world.Live).ToArray())
            {
                _world.Start(name);
            }

            await _world.Delay(45);
            Violation = Check();
        });
        return Violation;
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

        var (key, item) = ($"{_random.Next(4)}", $"{_random.Next(3)}");
        switch (_random.Next(20))
        {
            case < 5:
                await _world.Count(name, key, 1);
                var source = _world[name].Node.Data.Id;
                _added[(source, key)] = _added.GetValueOrDefault((source, key)) + 1;
                break;
            case < 9:
                await _world.Put(name, key, item);
                break;
            case < 14:
                await _world.Take(name, key, item);
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
                _dead.Add(_world[name].Node.Data.Id);
                _world.Crash(name);
                break;
            default:
                _world.Network.Heal();
                break;
        }
    }

    private string? Check()
    {
        if (_world.Errors.Count > 0)
        {
            return _world.Errors[0];
        }

        var first = _world.Contents(Names[0]);
        foreach (var name in Names[1..])
        {
            var contents = _world.Contents(name);
            if (!contents.SequenceEqual(first))
            {
                return $"a has {Text(first)}, {name} has {Text(contents)}\n{string.Join('\n', Names.Select(n => $"{n}: {_world[n].Node}"))}";
            }
        }

        foreach (var key in _added.Keys.Select(k => k.Key).Distinct())
        {
            var shown = _world.State<PnCounter>("a", new("counter", key)).Value;
            var least = _added.Where(a => a.Key.Key == key && !_dead.Contains(a.Key.Source)).Sum(a => a.Value);
            var most = _added.Where(a => a.Key.Key == key).Sum(a => a.Value);
            if (shown < least || shown > most)
            {
                return $"counter {key} shows {shown}, which is not within {least} and {most}";
            }
        }

        return null;
    }

    private static string Text(IEnumerable<KeyValuePair<string, string>> contents) =>
        string.Join("; ", contents.Select(c => $"{c.Key}={c.Value}"));
}
