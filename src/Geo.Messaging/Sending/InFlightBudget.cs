namespace Geo.Messaging;

/// <summary>
/// How many bytes of large messages may be on the way to a peer: about what the path carries in one round trip. Grows, first by doubling,
/// while the budget is used up and the round trip of small probes stays near its minimum; shrinks in proportion when it rises. As long as
/// small messages pass on the link it keeps their round trip within a few percent of the minimum; bulk alone may queue more, which carries
/// more.
/// </summary>
/// <remarks>
/// Delay-based, as TCP Vegas and BBR: loss would tell too late, because the queue that small messages wait in is full by then. Pure: the
/// caller says what time it is. Not thread-safe.
/// </remarks>
internal sealed class InFlightBudget
{
    // A median of fewer probes would follow every hiccup of the scheduler.
    private const int LeastProbes = 5;
    private const int MostProbes = 64;
    private const int RoundsProtected = 16;
    private const double ProtectedStretch = 1.06;
    private const double UnprotectedStretch = 2;
    private const double Growth = 1.25;
    private const double GentleGrowth = 1.08;
    private const double LeastShrink = 0.6;
    private static readonly TimeSpan ProtectedSlack = TimeSpan.FromMilliseconds(0.3);
    private static readonly TimeSpan UnprotectedSlack = TimeSpan.FromMilliseconds(15);
    private static readonly TimeSpan MinimumIsKept = TimeSpan.FromSeconds(30);

    private readonly long _minBytes;
    private readonly long _maxBytes;
    private readonly List<TimeSpan> _probes = [];
    private TimeSpan _roundBegan;
    private TimeSpan _minimum = TimeSpan.MaxValue;
    private TimeSpan _nextMinimum = TimeSpan.MaxValue;
    private TimeSpan _minimumBegan;
    private int _protectedRounds;
    private bool _wasLimiting;
    private bool _doubles = true;

    public InFlightBudget(long minBytes, long maxBytes) => (_minBytes, _maxBytes, Bytes) = (minBytes, maxBytes, minBytes);

    public long Bytes { get; private set; }

    /// <summary>The lowest round trip of late; null before the first probe.</summary>
    public TimeSpan? MinimalRoundTrip => _minimum == TimeSpan.MaxValue ? null : _minimum;

    /// <summary>Something found no room in the budget: it is what holds bulk back.</summary>
    public void NoteLimiting() => _wasLimiting = true;

    /// <summary>A probe has come back. Ends a round, and with it may change the budget, now and then.</summary>
    /// <param name="now">The time since some fixed moment.</param>
    /// <param name="roundTrip">How long the probe took.</param>
    /// <param name="smallMessages">True when a message that is not bulk has passed since the last probe.</param>
    public void NoteProbe(TimeSpan now, TimeSpan roundTrip, bool smallMessages)
    {
        Learn(now, roundTrip);
        if (smallMessages)
        {
            _protectedRounds = RoundsProtected;
        }

        // What was sent before the last change shows the time before it.
        if (now - roundTrip < _roundBegan)
        {
            return;
        }

        _probes.Add(roundTrip);
        if (_probes.Count >= LeastProbes && (now - _roundBegan >= 2 * _minimum || _probes.Count >= MostProbes))
        {
            EndRound(now);
        }
    }

    private void Learn(TimeSpan now, TimeSpan roundTrip)
    {
        if (now - _minimumBegan > MinimumIsKept)
        {
            (_minimum, _nextMinimum, _minimumBegan) = (_nextMinimum, TimeSpan.MaxValue, now);
        }

        _minimum = roundTrip < _minimum ? roundTrip : _minimum;
        _nextMinimum = roundTrip < _nextMinimum ? roundTrip : _nextMinimum;
    }

    private void EndRound(TimeSpan now)
    {
        _probes.Sort();
        var median = _probes[_probes.Count / 2];
        var allowed = _protectedRounds > 0
            ? (_minimum * ProtectedStretch) + ProtectedSlack
            : (_minimum * UnprotectedStretch) + UnprotectedSlack;
        if (median > allowed)
        {
            Bytes = Math.Max(_minBytes, (long)(Bytes * Math.Max(LeastShrink, allowed / median)));
            _doubles = false;
        }
        else if (_wasLimiting)
        {
            Bytes = Math.Min(_maxBytes, (long)(Bytes * (_doubles ? 2 : median < (_minimum + allowed) / 2 ? Growth : GentleGrowth)));
        }

        _protectedRounds = Math.Max(0, _protectedRounds - 1);
        _wasLimiting = false;
        _roundBegan = now;
        _probes.Clear();
    }
}
