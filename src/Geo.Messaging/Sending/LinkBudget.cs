namespace Geo.Messaging;

/// <summary>
/// The bytes of large messages that are on the way to one peer, over all channels, within the <see cref="InFlightBudget"/>. A channel of
/// higher priority that has something to send goes before the others.
/// </summary>
internal sealed class LinkBudget
{
    private static readonly TimeSpan ShortestProbeInterval = TimeSpan.FromMilliseconds(0.5);
    private const int ProbesPerRoundTrip = 8;
    private const double FastPathBytesPerSecond = 1.25e9;

    private readonly Lock _lock = new();
    private readonly InFlightBudget _budget;
    private readonly TimeProvider _time;
    private readonly long _began;
    private LargeOutbox[] _byPriority = [];
    private TimeSpan _lastProbe;
    private long _inFlight;
    private long _bytes;
    private long _bytesOfFastPath;
    private bool _smallMessages;

    public LinkBudget(long minBytes, long maxBytes, TimeProvider time)
    {
        (_budget, _time, _began) = (new InFlightBudget(minBytes, maxBytes), time, time.GetTimestamp());
        _bytes = _budget.Bytes;
    }

    /// <summary>The bytes on the way.</summary>
    public long InFlight => Volatile.Read(ref _inFlight);

    /// <summary>The bytes that may be.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>The bytes for which there is room, or less than none when the budget has shrunk.</summary>
    public long Room => Bytes - InFlight;

    /// <summary>The bytes that a path of 10 Gbit/s carries in the lowest round trip of late; 0 before that is known.</summary>
    public long BytesOfFastPath => Volatile.Read(ref _bytesOfFastPath);

    /// <summary>How many units a piece has: on a path that holds less than the longest, several lanes gain nothing.</summary>
    public int UnitsAtOnce => BytesOfFastPath is > 0 and < PieceHeader.MaxBytes ? PieceHeader.MostUnits : 1;

    private TimeSpan Now => _time.GetElapsedTime(_began);

    public void Add(LargeOutbox channel)
    {
        lock (_lock)
        {
            _byPriority = [.. _byPriority.Append(channel).OrderByDescending(each => each.Priority)];
        }
    }

    public void NoteSmall()
    {
        // Written seldom, so that the flag stays shared between the cores.
        if (!_smallMessages)
        {
            _smallMessages = true;
        }
    }

    /// <summary>Takes room for a piece; false when there is none, or it belongs to a channel of higher priority.</summary>
    public bool TryTake(LargeOutbox channel, int bytes)
    {
        lock (_lock)
        {
            foreach (var other in _byPriority)
            {
                if (other.Priority <= channel.Priority)
                {
                    break;
                }

                if (other.HasPieces)
                {
                    return false;
                }
            }

            if (_inFlight > 0 && _inFlight + bytes > _budget.Bytes)
            {
                _budget.NoteLimiting();
                return false;
            }

            _inFlight += bytes;
            return true;
        }
    }

    /// <summary>The bytes have arrived: there is room for others.</summary>
    /// <returns>True when it is time for another probe.</returns>
    public bool Return(long bytes)
    {
        bool probe;
        lock (_lock)
        {
            _inFlight = Math.Max(0, _inFlight - bytes);
            var interval = (_budget.MinimalRoundTrip ?? TimeSpan.Zero) / ProbesPerRoundTrip;
            probe = Now - _lastProbe >= (interval > ShortestProbeInterval ? interval : ShortestProbeInterval);
            _lastProbe = probe ? Now : _lastProbe;
        }

        Wake();
        return probe;
    }

    /// <summary>A probe of a lane that carries small messages has come back.</summary>
    public void NoteProbe(TimeSpan roundTrip)
    {
        lock (_lock)
        {
            _budget.NoteProbe(Now, roundTrip, _smallMessages);
            _smallMessages = false;
            Volatile.Write(ref _bytes, _budget.Bytes);
            Volatile.Write(ref _bytesOfFastPath, (long)(_budget.MinimalRoundTrip!.Value.TotalSeconds * FastPathBytesPerSecond));
        }
    }

    /// <summary>Lets every channel that waits for room look again, in the order of their priorities.</summary>
    public void Wake()
    {
        foreach (var channel in Volatile.Read(ref _byPriority))
        {
            channel.Wake();
        }
    }
}
