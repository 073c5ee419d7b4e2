namespace Geo.Consistency.Lattices;

/// <summary>
/// Has this cluster take part in the replication of parts that are hot here (<see cref="LatticeOptions.HotRate"/>), for as long as they
/// are (<see cref="LatticeGuest"/>). Thread-safe.
/// </summary>
internal sealed class LatticeHeat : IDisposable
{
    private readonly Lock _gate = new();
    private readonly HotParts _parts;
    private readonly Func<LatticeGroup, LatticeExchange> _find;
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private readonly long _start;
    private bool _isDisposed;

    /// <param name="options">When a part is hot.</param>
    /// <param name="time">The clock.</param>
    /// <param name="find">The replica of a part.</param>
    internal LatticeHeat(LatticeOptions options, TimeProvider time, Func<LatticeGroup, LatticeExchange> find)
    {
        (_time, _find, _start) = (time, find, time.GetTimestamp());
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
                _find(part).Visit();
                _timer.Change(HotParts.Window, HotParts.Window);
            }
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
            if (_isDisposed)
            {
                return;
            }

            foreach (var part in _parts.TakeCool(_time.GetElapsedTime(_start)))
            {
                _find(part).Cool();
            }

            if (!_parts.HasAny)
            {
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }
    }
}
