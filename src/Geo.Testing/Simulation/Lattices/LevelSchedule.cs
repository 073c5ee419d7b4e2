using Geo.Consistency;
using Geo.Consistency.Lattices;

namespace Geo.Testing;

/// <summary>One random run: sessions of a level that read, write and move between three clusters, which are cut off and crash.</summary>
internal sealed class LevelSchedule
{
    private static readonly string[] Names = ["a", "b", "c"];
    private const int Sessions = 4;
    private const int Calls = 14;

    private readonly ConsistencyLevel _level;
    private readonly Random _random;
    private readonly LevelWorld _world;
    private readonly bool _crashes;

    // A cluster that cannot take all that the others make, until it starts anew at the end.
    private readonly string? _narrow;

    // What each session has, as text: it is given back with every call.
    private readonly Dictionary<string, string> _tokens = [];
    private int _transactions;

    internal LevelSchedule(int seed, ConsistencyLevel level)
    {
        (_level, _random) = (level, new Random(seed));
        var skews = Names.ToDictionary(n => n, _ => TimeSpan.FromSeconds(_random.Next(2) * _random.Next(10)));
        _crashes = _random.Next(3) == 0;
        _world = new LevelWorld(
            seed,
            level,
            Names,
            new SimulatedNetworkOptions
            {
                MinDelay = TimeSpan.FromMilliseconds(10),
                MaxDelay = TimeSpan.FromMilliseconds(_random.Next(2) == 0 ? 2000 : 100),
                Loss = _random.Next(3) == 0 ? 0.3 : 0,
                Duplication = _random.Next(3) == 0 ? 0.2 : 0,
            },
            new LatticeOptions
            {
                MaxFrameBytes = _random.Next(3) == 0 ? 1024 : 1024 * 1024,
                MaxRetryAfter = TimeSpan.FromSeconds(4),
                StatusInterval = TimeSpan.FromSeconds(1),
                CollectInterval = TimeSpan.FromMilliseconds(300),
            },
            name => skews[name]);
        if (level.Domain() == LatticeDomain.Ordered && _random.Next(3) == 0)
        {
            _narrow = Names[_random.Next(Names.Length)];
            var limits = new LatticeLimits { MaxBytes = _random.Next(60, 400) };
            _world.OptionsOf[_narrow] = new() { StatusInterval = TimeSpan.FromSeconds(1), Limits = limits };
            _world.Crash(_narrow);
            _world.Start(_narrow);
        }
    }

    /// <summary>What the run took.</summary>
    internal (long Steps, TimeSpan Time) Taken => (_world.Scheduler.Steps, _world.Scheduler.Time.Elapsed);

    /// <summary>How many calls were served.</summary>
    internal int Served { get; private set; }

    /// <summary>How many were refused, because what they had to see or to follow did not come in time.</summary>
    internal int Missed { get; private set; }

    internal LevelHistory Run()
    {
        _world.Run(async () =>
        {
            await _world.Delay(_random.Next(2));
            var running = Task.WhenAll(Enumerable.Range(1, Sessions).Select(i => RunAsync($"s{i}")));
            while (!running.IsCompleted)
            {
                await Task.WhenAny(running, _world.Delay(_random.NextDouble()));
                Disturb();
            }

            await running;
            _world.Network.Heal();
            _world.Network.Options.Loss = 0;
            foreach (var name in Names.Except(_world.Live).ToArray())
            {
                _world.Start(name);
            }

            if (_narrow is not null)
            {
                await _world.Delay(20);
                _world.OptionsOf.Clear();
                _world.Crash(_narrow);
                _world.Start(_narrow);
            }

            await _world.Delay(45);
            foreach (var name in Names)
            {
                for (var key = 0; key < 3; key++)
                {
                    var session = _world.Open(name, ConsistencyLevel.SimpleEventual);
                    await _world.ReadAsync(name, session, $"final {name}", $"{key}", kind: LevelCallKind.FinalRead);
                }
            }
        });
        return _world.History;
    }

    private async Task RunAsync(string name)
    {
        var (at, life) = ("", "");
        ILatticeSession? session = null;
        for (var call = 0; call < Calls; call++)
        {
            await _world.Delay(_random.NextDouble() * 0.4);
            var isLive = session is not null && _world.Live.Contains(at) && _world.LifeOf(at) == life;
            if (!isLive || _random.Next(3) == 0)
            {
                var live = _world.Live.ToArray();
                if (live.Length == 0)
                {
                    continue;
                }

                at = live[_random.Next(live.Length)];
                (session, life) = (_world.Open(at, _level, SessionToken.Parse(_tokens.GetValueOrDefault(name))), _world.LifeOf(at));
            }

            try
            {
                if (_random.Next(2) == 0)
                {
                    await CallAsync(name, at, session!, 0);
                }
                else
                {
                    await TransactAsync(name, at, life, session!);
                }

                Served++;
            }
            catch (GeoUnavailableException)
            {
                Missed++;
            }
            catch (OperationCanceledException)
            {
                session = null;
            }
        }
    }

    private async Task TransactAsync(string name, string at, string life, ILatticeSession session)
    {
        var number = ++_transactions;
        session.Begin();
        try
        {
            for (var calls = _random.Next(4) + 1; calls > 0; calls--)
            {
                await CallAsync(name, at, session, number);
                await _world.Delay(_random.NextDouble() * 0.2);
                if (!_world.Live.Contains(at) || _world.LifeOf(at) != life)
                {
                    throw new OperationCanceledException();
                }
            }
        }
        catch (Exception)
        {
            session.Abort();
            _world.Forget(session.Level, number);
            throw;
        }

        await (_random.Next(4) == 0 ? _world.Abort(at, session, number) : _world.Commit(at, session, number));
    }

    private async Task CallAsync(string name, string at, ILatticeSession session, int transaction)
    {
        var key = $"{_random.Next(3)}";
        await (_random.Next(2) == 0
            ? _world.ReadAsync(at, session, name, key, transaction)
            : (Task)_world.WriteAsync(at, session, name, key, transaction));
        _tokens[name] = session.Token.ToString();
        if (transaction == 0 && _random.Next(3) == 0)
        {
            await _world.Burst(at, session, key);
            _tokens[name] = session.Token.ToString();
        }
    }

    private void Disturb()
    {
        var (one, other) = (Names[_random.Next(Names.Length)], Names[_random.Next(Names.Length)]);
        switch (_random.Next(12))
        {
            case < 4:
                _world.Network.Cut(new(one), new(other));
                break;
            case 4:
                _world.Network.Isolate(new(one));
                break;
            case 5 when _crashes && _world.Live.Contains(one):
                _world.Crash(one);
                break;
            case 6 when !_world.Live.Contains(one):
                _world.Start(one);
                break;
            case > 9:
                _world.Network.Heal();
                break;
        }
    }
}
