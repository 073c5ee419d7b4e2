using System.Collections.Immutable;

namespace Geo.Consistency.Tests.BatchedCas.Exploration;

/// <summary>
/// One random schedule of the rules of batching compare-and-swap with hand-ins: instances that write and read, hand in to anybody, write
/// for others, and end, whose writes arrive late, twice or never, and whose messages are lost, doubled and reordered.
/// </summary>
internal sealed class ExploredCasWorld
{
    private const int MaxUpdates = 5;

    private static readonly int[] Limits = [2, 3, 8];

    private readonly Random _random;
    private readonly bool _isSetBack;
    private readonly int _maxInstances;
    private readonly ExploredInstance[] _instances;
    private readonly List<ExploredWrite> _writes = [];
    private readonly List<Action> _network = [];
    private readonly Dictionary<ExploredUpdate, ImmutableArray<ExploredUpdate>> _bases = [];
    private readonly Dictionary<ExploredUpdate, bool?> _told = [];
    private readonly List<ExploredRow> _backups = [];
    private ExploredRow _stored = ExploredRow.None;
    private int _etags;
    private long _ids;
    private int _setBacks;

    /// <param name="seed">The schedule.</param>
    /// <param name="isSetBack">True when the store is set back to a backup now and then.</param>
    internal ExploredCasWorld(int seed, bool isSetBack = false)
    {
        (_random, _isSetBack) = (new Random(seed), isSetBack);
        _maxInstances = Limits[_random.Next(Limits.Length)];
        _instances = [.. Enumerable.Range(0, 3 + _random.Next(2)).Select(_ => new ExploredInstance(++_ids))];
    }

    internal int Confirmed => _told.Values.Count(t => t == true);

    internal int Refused => _told.Values.Count(t => t == false);

    internal int Lost => _told.Values.Count(t => t is null);

    internal int HandIns { get; private set; }

    internal int WrittenForOthers { get; private set; }

    internal int NoticedSetBacks { get; private set; }

    internal int MissedSetBacks { get; private set; }

    internal void Run()
    {
        for (var i = 0; i < 90; i++)
        {
            Act(_random.Next(_instances.Length));
        }

        foreach (var instance in _instances.Where(i => i.Writing is null))
        {
            See(instance, _stored);
        }

        CheckEnd();
    }

    private bool Chance(double part) => _random.NextDouble() < part;

    private void Act(int place)
    {
        var instance = _instances[place];
        switch (_random.NextDouble())
        {
            case < 0.15:
                Raise(instance);
                break;
            case < 0.30:
                BeginWrite(instance);
                break;
            case < 0.50:
                ExecuteWrite();
                break;
            case < 0.54:
                GiveUpWrite(instance);
                break;
            case < 0.64:
                Read(instance);
                break;
            case < 0.78:
                HandIn(instance);
                break;
            case < 0.95:
                Deliver();
                break;
            case < 0.97:
                _instances[place] = new(++_ids);
                break;
            default:
                SetBack();
                break;
        }
    }

    private void Raise(ExploredInstance instance)
    {
        var count = Chance(0.3) ? 2 : 1;
        if (instance.LastNumber + count > MaxUpdates)
        {
            return;
        }

        var first = instance.LastNumber + 1;
        instance.LastNumber += count;
        if (instance.State.IsLoaded && Chance(0.35))
        {
            ImmutableArray<ExploredUpdate> below =
                [.. instance.Shown, .. instance.QueuedNumbers.Select(n => new ExploredUpdate(instance.Id, n))];
            instance.Queue.Add(new(new(first, count, below.Length), below));
            _bases[new(instance.Id, first)] = below;
        }
        else
        {
            instance.Queue.Add(new(new(first, count, null), []));
        }
    }

    private void BeginWrite(ExploredInstance instance)
    {
        var state = instance.State;
        if (!state.IsLoaded || state.MustRead || instance.Writing is not null)
        {
            return;
        }

        var guests = instance.Guests.Take(_maxInstances - 1).ToList();
        var own = instance.Queue.Take(_random.Next(instance.Queue.Count + 1)).ToList();
        var count = own.Sum(g => g.Head.Count);
        var through = own.Count == 0 ? 0 : own[^1].Head.Last;
        var batch = HandInRules.Compose(
            state, new(new("c"), instance.Id), count, through, guests, Chance(0.3) ? count + 2 : 100, _maxInstances);
        if (batch.Version == state.Version)
        {
            return;
        }

        var history = instance.Shown.AddRange(instance.QueuedNumbers.Take(count).Select(n => new ExploredUpdate(instance.Id, n)));
        foreach (var take in batch.Taken)
        {
            var guest = guests[take.Guest];
            history = history.AddRange(guest.Groups.SelectMany(g => Enumerable.Range(0, g.Count).Select(i => g.First + i))
                .Skip(take.Skip).Take(take.Count).Select(n => new ExploredUpdate(guest.Instance, n)));
        }

        Holds(history.Length == batch.Version, "the version is not the number of updates");
        var row = new CasRow(null, batch.Version, batch.Applied, batch.Writer);
        instance.Writing = new(instance, state.ETag, batch, through, guests, new(row, history));
        _writes.Add(instance.Writing);
    }

    private void ExecuteWrite()
    {
        if (_writes.Count == 0)
        {
            return;
        }

        var write = _writes[_random.Next(_writes.Count)];
        if (Chance(0.9))
        {
            _writes.Remove(write);
        }

        var isApplied = write.Expected == _stored.Row.ETag || CasRules.IsOff(CasRule.ETag);
        if (isApplied)
        {
            _stored = write.Made with { Row = write.Made.Row with { ETag = new($"e{++_etags}") } };
            WrittenForOthers += write.Batch.Guests;
            CheckStored();
        }

        if (write.By.Writing == write && Chance(0.75))
        {
            Answer(write.By, write, isApplied);
        }
    }

    private void Answer(ExploredInstance instance, ExploredWrite write, bool isApplied)
    {
        instance.Writing = null;
        if (!isApplied)
        {
            instance.State = BatchedCasRules.WriteConflicted(instance.State, write.Through);
            return;
        }

        instance.State = BatchedCasRules.WriteApplied(instance.State, _stored.Row.ETag!.Value, write.Batch);
        Tell(instance.TakeOldest(write.Batch.Own), true);
        if (write.Batch.Guests > 0)
        {
            Refuse(instance);
        }

        instance.Shown = write.Made.History;
        instance.Guests.RemoveAll(write.Guests.Contains);
        var row = _stored;
        foreach (var other in _instances.Where(i => i != instance))
        {
            Send(() => Told(other, row));
        }
    }

    private static void GiveUpWrite(ExploredInstance instance)
    {
        if (instance.Writing is { } write)
        {
            instance.Writing = null;
            instance.State = BatchedCasRules.WriteUnknown(instance.State, write.Through);
        }
    }

    private void Read(ExploredInstance instance)
    {
        if (instance.Writing is null)
        {
            See(instance, _stored);
        }
    }

    /// <summary>To anybody, whether or not it wrote last: that is a matter of speed alone.</summary>
    private void HandIn(ExploredInstance instance)
    {
        var (state, to) = (instance.State, _instances[_random.Next(_instances.Length)]);
        if (instance.Queue.Count == 0 || instance.Writing is not null || !state.IsLoaded || state.MustRead || to == instance)
        {
            return;
        }

        var groups = instance.Queue.Take(1 + _random.Next(instance.Queue.Count)).Select(g => g.Head).ToList();
        var handIn = new HandIn(instance.Id, state.Version, [.. groups.Take(HandInRules.Offered(groups))]);
        instance.State = BatchedCasRules.HandedIn(state, handIn.Last);
        HandIns++;
        Send(() =>
        {
            if (to.Guests.Find(g => g.Instance == handIn.Instance) is not { } earlier)
            {
                to.Guests.Add(handIn);
            }
            else if (earlier.Last <= handIn.Last)
            {
                to.Guests[to.Guests.IndexOf(earlier)] = handIn;
            }

            to.State = BatchedCasRules.Announced(to.State, handIn.Since);
        });
    }

    private void Told(ExploredInstance instance, ExploredRow row)
    {
        if (instance.Writing is null && row.Row.Version > instance.State.Version)
        {
            See(instance, row);
        }
    }

    private void See(ExploredInstance instance, ExploredRow row)
    {
        var seen = BatchedCasRules.Observe(instance.State, row.Row, instance.Id, instance.CountThrough);
        if (seen.Verdict == CasVerdict.Replaced)
        {
            Holds(_setBacks > 0, "a history was taken for another one");
            NoticedSetBacks++;
            return;
        }

        if (seen.Verdict == CasVerdict.Newer)
        {
            // A history that was set back and has grown past what was shown is noticed by its numbers, but for chance.
            var isSame = row.History.AsSpan().StartsWith(instance.Shown.AsSpan());
            Holds(isSame || (_setBacks > 0 && row.Row.Version > instance.Shown.Length), "what was shown has changed");
            MissedSetBacks += isSame ? 0 : 1;
            var landed = instance.TakeOldest(seen.Landed);
            Holds(_setBacks > 0 || landed.TrueForAll(row.History.Contains), "an update passed for written that is not");
            Tell(landed, true);
            Tell(instance.TakeOldest(seen.InDoubt), null);
            if (seen.IsForeign)
            {
                Refuse(instance);
            }

            instance.Shown = row.History;
            instance.Guests.RemoveAll(g => HandInRules.IsIn(seen.Next, g));
        }

        instance.State = seen.Next;
    }

    private void Refuse(ExploredInstance instance)
    {
        foreach (var group in instance.Queue.Where(g => g.Head.Expected is not null))
        {
            Tell(Enumerable.Range(0, group.Head.Count).Select(i => new ExploredUpdate(instance.Id, group.Head.First + i)), false);
        }

        instance.Queue.RemoveAll(g => g.Head.Expected is not null);
    }

    private void Tell(IEnumerable<ExploredUpdate> updates, bool? outcome)
    {
        foreach (var update in updates)
        {
            _told.Add(update, outcome);
        }
    }

    private void Deliver()
    {
        if (_network.Count > 0)
        {
            var i = _random.Next(_network.Count);
            var (message, chance) = (_network[i], _random.NextDouble());
            if (chance > 0.12)
            {
                _network.RemoveAt(i);
            }

            if (chance is <= 0.12 or > 0.2)
            {
                message();
            }
        }
    }

    private void Send(Action message)
    {
        if (_network.Count < 24)
        {
            _network.Add(message);
        }
    }

    /// <summary>The store is set back to what it held once, as from a backup: under an etag of its own.</summary>
    private void SetBack()
    {
        if (_isSetBack && _backups.Count > 0 && Chance(0.5))
        {
            var backup = _backups[_random.Next(_backups.Count)];
            _stored = backup with { Row = backup.Row with { ETag = new($"e{++_etags}") } };
            _setBacks++;
        }
        else if (_stored.Row.ETag is not null)
        {
            _backups.Add(_stored);
        }
    }

    private void CheckStored()
    {
        var last = new Dictionary<long, long>();
        for (var i = 0; i < _stored.History.Length; i++)
        {
            var update = _stored.History[i];
            Holds(update.Number > last.GetValueOrDefault(update.Instance), "an update is there twice, or out of order");
            last[update.Instance] = update.Number;
            Holds(
                _setBacks > 0 || !_bases.TryGetValue(update, out var below) || _stored.History.AsSpan(0, i).SequenceEqual(below.AsSpan()),
                "a conditional update was applied on another base");
        }
    }

    private void CheckEnd()
    {
        if (_setBacks > 0)
        {
            return;
        }

        foreach (var (update, outcome) in _told)
        {
            Holds(outcome != true || _stored.History.Contains(update), "a confirmed update is lost");
            Holds(outcome != false || !_stored.History.Contains(update), "a refused update was applied");
        }

        foreach (var instance in _instances.Where(i => i.Writing is null))
        {
            Holds(
                !instance.QueuedNumbers.Any(n => _stored.History.Contains(new(instance.Id, n))), "an applied update was not noticed");
        }
    }

    private static void Holds(bool condition, string violation)
    {
        if (!condition)
        {
            throw new ExploredCasException(violation);
        }
    }
}
