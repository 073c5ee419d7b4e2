namespace Geo.Consistency.Lattices;

/// <summary>
/// Has this cluster take part in the replication of parts that are hot here (<see cref="LatticeOptions.HotRate"/>), as a guest of the
/// clusters that have them by the configuration, and leave again. Thread-safe.
/// </summary>
/// <remarks>
/// A guest is what an earlier holder is where settings change: others send it their updates and wait for its acknowledgements while it
/// answers, and for longer nobody waits. It serves once it has had all that they had; its end waits until no grain uses it and all of them
/// have what it has, and is that of a replica that stops: the next time it is another source.
/// </remarks>
internal sealed class LatticeHeat : IDisposable
{
    private readonly Lock _gate = new();
    private readonly HotParts _parts;
    private readonly Dictionary<LatticeGroup, bool> _guests = [];
    private readonly Func<LatticeGroup, LatticeExchange> _find;
    private readonly Action<LatticeGroup> _renew;
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private readonly long _start;
    private volatile bool _hasAny;
    private bool _isDisposed;

    /// <param name="options">When a part is hot.</param>
    /// <param name="time">The clock.</param>
    /// <param name="find">The replica of a part.</param>
    /// <param name="renew">Makes a new replica of a part, which has nothing.</param>
    internal LatticeHeat(
        LatticeOptions options, TimeProvider time, Func<LatticeGroup, LatticeExchange> find, Action<LatticeGroup> renew)
    {
        (_time, _find, _renew, _start) = (time, find, renew, time.GetTimestamp());
        _parts = new(options.HotRate, options.HotFor);
        _timer = time.CreateTimer(
            static self => ((LatticeHeat)self!).Cool(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>A call of a grain of a part that others have was made here.</summary>
    internal void Note(GrainKey grain, LatticeGroup part)
    {
        lock (_gate)
        {
            if (!_isDisposed && _parts.Note(grain, part, _time.GetElapsedTime(_start)))
            {
                (_guests[part], _hasAny) = (true, true);
                _find(part).Visit();
                _timer.Change(HotParts.Window, HotParts.Window);
            }
        }
    }

    /// <summary>True while calls of a part are served here.</summary>
    internal bool Serves(LatticeGroup part)
    {
        if (!_hasAny)
        {
            return false;
        }

        lock (_gate)
        {
            return _guests.GetValueOrDefault(part) && _find(part).HasJoined;
        }
    }

    /// <summary>True while there is a replica of a part, for grains that are active.</summary>
    internal bool Has(LatticeGroup part)
    {
        lock (_gate)
        {
            return _guests.ContainsKey(part);
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
        }

        _timer.Dispose();
    }

    private void Cool()
    {
        lock (_gate)
        {
            foreach (var part in _isDisposed ? [] : _parts.TakeCool(_time.GetElapsedTime(_start)))
            {
                _guests[part] = false;
            }

            foreach (var (part, isHot) in _guests.ToArray())
            {
                if (!_isDisposed && !isHot && _find(part).TryRetire())
                {
                    _guests.Remove(part);
                    _renew(part);
                }
            }

            _hasAny = _guests.Count > 0;
            if (!_hasAny)
            {
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }
    }
}
