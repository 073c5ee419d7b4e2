namespace Geo.Consistency.Tests.ReadReplicas;

/// <summary>
/// One read replica, instances that answer it and a store, in a schedule made of a seed: questions and answers under way as long as
/// chance wants, clocks of different rates, machines that are suspended, a store that is set back. Times are in ticks.
/// </summary>
internal sealed class ExploredReadWorld
{
    private const long Bound = 100_000;

    private readonly Random _random;
    private readonly bool _isStored;
    private readonly bool _isSetBack;
    private readonly TimeSpan _limit;
    private readonly double _rate;
    private readonly List<Made> _made = [];
    private readonly List<(long Poll, TwoClocks SentAt, ReadFeedAnswer Answer)> _answers = [];
    private readonly List<(long Poll, TwoClocks SentAt, ReadFeedPoll Asked)> _polls = [];
    private readonly (long AsOf, int Version, double Rate)[] _instances;
    private long _now = 1_000_000;
    private long _suspended;
    private long _poll;
    private int _latest;
    private uint _history;
    private ReadCopy? _copy;

    internal ExploredReadWorld(int seed, bool isStored, bool isSetBack = false)
    {
        _random = new(seed);
        (_isStored, _isSetBack) = (isStored, isSetBack);
        _history = isStored ? 0u : 1;
        _limit = ReadCopyRules.LimitOf(TimeSpan.FromTicks(Bound));
        _rate = Rate();
        Begin();
        _instances = [.. Enumerable.Range(0, 2).Select(_ => (_now, 0, Rate()))];
    }

    internal int Reads { get; private set; }

    internal int Misses { get; private set; }

    private TwoClocks Now => new(
        TimeSpan.FromTicks((long)((_now - _suspended) * _rate)), TimeSpan.FromTicks((long)(_now * _rate) + 777_000));

    internal void Run()
    {
        for (var i = 0; i < 120; i++)
        {
            Step();
        }
    }

    private double Rate() => 1 + (((_random.NextDouble() * 2) - 1) * ReadCopyRules.ClockError / 2);

    private void Step()
    {
        switch (_random.Next(12))
        {
            case 0 or 1:
                _now += _random.Next(40_000);
                break;

            case 2:
                // The replica's machine is suspended.
                var time = _random.Next(4) == 0 ? _random.Next(200_000) : 0;
                (_now, _suspended) = (_now + time, _suspended + time);
                break;

            case 3:
                _made.Add(new(_history, _made[_latest].Number + 1, _latest));
                Becomes(_made.Count - 1);
                break;

            case 4:
                // An instance reads the store: it may have been asked some time ago.
                _instances[_random.Next(2)] = (_now, _latest, _instances[0].Rate);
                break;

            case 5 or 6:
                _polls.Add((++_poll, Now, new(
                    _copy is not null, _copy?.History ?? 0, _copy?.Version ?? 0, _copy?.Edition ?? 0, TimeSpan.Zero)));
                break;

            case 7 or 8 when _polls.Count > 0:
                Answer();
                break;

            case 9 when _answers.Count > 0:
                Receive();
                break;

            case 10 when !_isStored && _random.Next(4) == 0:
                // The instance ended, and another one begins with nothing.
                _history++;
                Begin();
                break;

            case 10 when _isSetBack && _random.Next(3) == 0:
                // Its instances are stopped before, and read it anew.
                for (var back = _random.Next(1, 3); back > 0 && _made[_latest].After >= 0; back--)
                {
                    Becomes(_made[_latest].After);
                }

                Array.ForEach([0, 1], i => _instances[i] = (_now, _latest, _instances[i].Rate));
                break;

            default:
                Read();
                break;
        }
    }

    private void Begin()
    {
        _made.Add(new(_history, 0, -1));
        Becomes(_made.Count - 1);
    }

    private void Becomes(int version)
    {
        _made[_latest].WasLatestUntil = _now;
        _latest = version;
        _made[_latest].WasLatestUntil = long.MaxValue;
    }

    private void Answer()
    {
        var at = _random.Next(_polls.Count);
        var (poll, sentAt, asked) = _polls[at];
        if (_random.Next(3) > 0)
        {
            _polls.RemoveAt(at);
        }

        var (asOf, version, rate) = _isStored ? _instances[_random.Next(2)] : (_now, _latest, 1);
        var age = TimeSpan.FromTicks((long)((_now - asOf) * rate));
        var (made, edition) = (_made[version], _isStored ? (uint)version : 0);
        _answers.Add((poll, sentAt, new(
            made.History, made.Number, edition, age,
            asked.Has(made.History, made.Number, edition) ? (ReadOnlyMemory<byte>?)null : BitConverter.GetBytes(version))));
    }

    private void Receive()
    {
        var at = _random.Next(_answers.Count);
        var (poll, sentAt, answer) = _answers[at];
        _answers.RemoveAt(at);
        var before = _copy;
        _copy = ReadCopyRules.On(_copy, answer, poll, sentAt, Now, _limit);
        if (!_isSetBack && before is not null && _copy is not null && before.History == _copy.History && _copy.Version < before.Version)
        {
            throw new InvalidOperationException($"the copy went back from version {before.Version} to {_copy.Version}");
        }
    }

    private void Read()
    {
        // Often at the very end of what the copy may be read for.
        if (_copy is { } copy && _random.Next(2) == 0)
        {
            var end = (long)((copy.AsOf.Monotonic + _limit).Ticks / _rate) + _suspended;
            _now = Math.Max(_now, end - _random.Next(3));
        }

        if (_copy is not { } read || !read.IsFresh(Now))
        {
            Misses++;
            return;
        }

        Reads++;
        var seen = _made[BitConverter.ToInt32(read.State.Span)];
        if (seen.WasLatestUntil < _now - Bound)
        {
            throw new InvalidOperationException(
                $"version {seen.Number} of {seen.History} was read, and has not been the latest for {_now - seen.WasLatestUntil}");
        }
    }

    /// <summary>A version that was made.</summary>
    private sealed record Made(uint History, long Number, int After)
    {
        public long WasLatestUntil { get; set; }
    }
}
