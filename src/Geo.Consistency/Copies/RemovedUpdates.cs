namespace Geo.Consistency;

/// <summary>
/// Which of an instance's updates were taken out of its queue because they are in no version, or nobody can find out, and who was told: a
/// wait that covers them, whenever it begins, must not end as if they had been applied.
/// </summary>
/// <remarks>
/// Each is told to all who wait at that moment, else to the next one who asks: to one who confirms, though a refresh was told before,
/// because it may be another's. As many are told apart as <see cref="Most"/>; then the two nearest among the older become one, of which
/// less is said.
/// </remarks>
internal sealed class RemovedUpdates
{
    private const int Most = 16;

    // By their first numbers.
    private readonly List<Entry> _entries = [];

    /// <summary>How often somebody was told: who waits hears what others are told after he came.</summary>
    internal int Tellings { get; private set; }

    /// <summary>All of them, of which others are told.</summary>
    internal NumberRanges All => NumberRanges.Of(_entries.Select(e => e.Numbers));

    /// <param name="range">Which.</param>
    /// <param name="reason">Why; a <see cref="GeoOutcomeUnknownException"/> where they may be in a version.</param>
    internal void Add(RemovedRange range, GeoException reason)
    {
        var told = range.AreTold ? ++Tellings : 0;
        _entries.Insert(
            _entries.FindLastIndex(e => e.Numbers.First < range.Numbers.First) + 1,
            new(range.Numbers, reason) { ToldToConfirm = told, ToldToRefresh = told });
        if (_entries.Count > Most)
        {
            MakeRoom();
        }
    }

    /// <summary>Why a wait fails; null where none of them concerns it.</summary>
    /// <param name="kind">What it asks for.</param>
    /// <param name="sequence">Up to which number, or for which one.</param>
    /// <param name="since">How often somebody had been told when it began.</param>
    internal GeoException? ReasonFor(WaitKind kind, long sequence, int since)
    {
        var concerned = _entries.FindAll(e => e.Concerns(kind, sequence, since));
        return concerned.Count switch
        {
            0 => null,
            1 => concerned[0].Reason,
            _ => Like((concerned.Find(e => e.IsUnknown) ?? concerned[0]).Reason, $"So were others, {concerned.Count - 1} times."),
        };
    }

    /// <summary>One who waited was told.</summary>
    internal void Told(WaitKind kind, long sequence, int since)
    {
        Tellings++;
        foreach (var entry in _entries.Where(e => e.Concerns(kind, sequence, since) && (kind != WaitKind.One || e.IsOne)))
        {
            entry.ToldToRefresh = entry.ToldToRefresh == 0 ? Tellings : entry.ToldToRefresh;
            entry.ToldToConfirm = entry.ToldToConfirm == 0 && kind != WaitKind.Refresh ? Tellings : entry.ToldToConfirm;
        }
    }

    /// <summary>What became of what a session has seen or raised; null where none of these is among it.</summary>
    /// <param name="marked">From the first to the last of them; those between may be of others.</param>
    internal MarkState? StateOf(NumberRange marked)
    {
        MarkState? state = null;
        foreach (var entry in _entries.Where(e => e.Numbers.Overlaps(marked)))
        {
            state = marked.Last <= entry.Numbers.Last && !entry.IsUnknown ? MarkState.Lost : state ?? MarkState.Doubtful;
        }

        return state;
    }

    private void MakeRoom()
    {
        for (var i = 1; i < _entries.Count; i++)
        {
            if (_entries[i - 1].IsFollowedBy(_entries[i]))
            {
                _entries[i - 1] = _entries[i - 1].With(_entries[i]);
                _entries.RemoveAt(i);
                return;
            }
        }

        var nearest = NumberRange.NearestOfOlder(_entries, e => e.Numbers);
        _entries[nearest] = Entry.Of(_entries[nearest], _entries[nearest + 1]);
        _entries.RemoveAt(nearest + 1);
    }

    private static GeoException Like(GeoException reason, string more) =>
        reason is GeoOutcomeUnknownException
            ? new GeoOutcomeUnknownException($"{reason.Message} {more}", reason)
            : new GeoSerializationException($"{reason.Message} {more}", reason);

    private sealed class Entry(NumberRange numbers, GeoException reason)
    {
        internal NumberRange Numbers => numbers;

        internal bool IsOne => numbers.First == numbers.Last;

        internal GeoException Reason => reason;

        internal bool IsUnknown => reason is GeoOutcomeUnknownException;

        /// <summary>True when it was taken out at several times.</summary>
        private bool IsRun { get; init; }

        /// <summary>The reason of the last of those that are told apart no more; null where all are told apart.</summary>
        private GeoException? Latest { get; init; }

        /// <summary>Which telling told one who confirms; 0 for none.</summary>
        internal int ToldToConfirm { get; set; }

        /// <summary>Which telling told one who refreshes, or confirms; 0 for none.</summary>
        internal int ToldToRefresh { get; set; }

        /// <summary>True when another one is of the next numbers, leaves as much doubt, and was told to the same or nobody.</summary>
        internal bool IsFollowedBy(Entry next) => next.Numbers.First == numbers.Last + 1 && next.IsUnknown == IsUnknown
            && (next.ToldToConfirm == 0, next.ToldToRefresh == 0) == (ToldToConfirm == 0, ToldToRefresh == 0);

        /// <summary>This one and the next, of which all is known that was.</summary>
        internal Entry With(Entry next) => new(numbers.With(next.Numbers), IsRun ? reason : Like(reason, "So were more that followed."))
        {
            IsRun = true,
            Latest = next.Latest ?? (Latest is null ? null : next.Reason),
            ToldToConfirm = Later(ToldToConfirm, next.ToldToConfirm),
            ToldToRefresh = Later(ToldToRefresh, next.ToldToRefresh),
        };

        /// <summary>Two that are told apart no more, with all that is between them.</summary>
        internal static Entry Of(Entry one, Entry other) => new(
            one.Numbers.With(other.Numbers),
            new GeoOutcomeUnknownException(
                $"Updates were taken out more than {Most} times, and whether one that was raised between two of these took effect is not "
                + $"told apart any more; of the last of them: {(other.Latest ?? other.Reason).Message}"))
        {
            Latest = other.Latest ?? other.Reason,
            ToldToConfirm = Later(one.ToldToConfirm, other.ToldToConfirm),
            ToldToRefresh = Later(one.ToldToRefresh, other.ToldToRefresh),
        };

        internal bool Concerns(WaitKind kind, long sequence, int since) => kind switch
        {
            WaitKind.One => numbers.First <= sequence && sequence <= numbers.Last,
            WaitKind.Confirm => numbers.First <= sequence && IsNews(ToldToConfirm, since),
            WaitKind.Refresh => numbers.First <= sequence && IsNews(ToldToRefresh, since),
            _ => false,
        };

        private static bool IsNews(int told, int since) => told == 0 || told > since;

        private static int Later(int one, int other) => one == 0 || other == 0 ? 0 : Math.Max(one, other);
    }
}
