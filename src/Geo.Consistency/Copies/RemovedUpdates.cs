namespace Geo.Consistency;

/// <summary>
/// Which of an instance's updates were taken out of its queue because they are in no version, or nobody can find out, and who was told: a
/// wait that covers them, whenever it begins, must not end as if they had been applied.
/// </summary>
/// <remarks>
/// Each is told to all who wait at that moment, else to the next one who asks: to one who confirms, though a refresh was told before,
/// because it may be another's. As many are told apart as <see cref="Most"/>; then the oldest become one, of which less is said.
/// </remarks>
internal sealed class RemovedUpdates
{
    private const int Most = 16;

    private readonly List<Entry> _entries = [];

    /// <summary>How often somebody was told: who waits hears what others are told after he came.</summary>
    internal int Tellings { get; private set; }

    /// <summary>
    /// From the first one that was taken out to the newest that was raised when the last one was: of those before and after none is
    /// missing.
    /// </summary>
    internal UpdateGaps Gaps => new(_entries.Min(e => e.First), _entries[^1].Newest);

    /// <param name="range">Which.</param>
    /// <param name="newest">The number of the newest update that was raised by then.</param>
    /// <param name="reason">Why; a <see cref="GeoOutcomeUnknownException"/> where they may be in a version.</param>
    internal void Add(RemovedRange range, long newest, GeoException reason)
    {
        var told = range.AreTold ? ++Tellings : 0;
        _entries.Add(new(range.First, range.Last, newest, reason) { ToldToConfirm = told, ToldToRefresh = told });
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
        foreach (var entry in _entries.Where(e => e.Concerns(kind, sequence, since) && (kind != WaitKind.One || e.First == e.Last)))
        {
            entry.ToldToRefresh = entry.ToldToRefresh == 0 ? Tellings : entry.ToldToRefresh;
            entry.ToldToConfirm = entry.ToldToConfirm == 0 && kind != WaitKind.Refresh ? Tellings : entry.ToldToConfirm;
        }
    }

    /// <summary>
    /// What became of what a session has seen or raised up to a number; null where none of them is among it. Of a number behind one that
    /// was taken out nobody can say whether the session has seen that one, too.
    /// </summary>
    internal MarkState? StateOf(long number)
    {
        MarkState? state = null;
        foreach (var entry in _entries.Where(e => e.First <= number && number <= e.Newest))
        {
            if (number <= entry.Last && !entry.IsUnknown)
            {
                return MarkState.Lost;
            }

            state = MarkState.Doubtful;
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

        _entries[0] = Entry.Of(_entries[0], _entries[1]);
        _entries.RemoveAt(1);
    }

    private static GeoException Like(GeoException reason, string more) =>
        reason is GeoOutcomeUnknownException
            ? new GeoOutcomeUnknownException($"{reason.Message} {more}", reason)
            : new GeoSerializationException($"{reason.Message} {more}", reason);

    private sealed class Entry(long first, long last, long newest, GeoException reason)
    {
        internal long First => first;

        internal long Last => last;

        internal long Newest => newest;

        internal GeoException Reason => reason;

        internal bool IsUnknown => reason is GeoOutcomeUnknownException;

        /// <summary>True when it was taken out at several times.</summary>
        private bool IsRun { get; init; }

        /// <summary>Which telling told one who confirms; 0 for none.</summary>
        internal int ToldToConfirm { get; set; }

        /// <summary>Which telling told one who refreshes, or confirms; 0 for none.</summary>
        internal int ToldToRefresh { get; set; }

        /// <summary>True when another one is of the next numbers, leaves as much doubt, and was told to the same or nobody.</summary>
        internal bool IsFollowedBy(Entry next) => next.First == last + 1 && next.IsUnknown == IsUnknown
            && (next.ToldToConfirm == 0, next.ToldToRefresh == 0) == (ToldToConfirm == 0, ToldToRefresh == 0);

        /// <summary>This one and the next, of which all is known that was.</summary>
        internal Entry With(Entry next) => new(first, next.Last, next.Newest, IsRun ? reason : Like(reason, "So were more that followed."))
        {
            IsRun = true,
            ToldToConfirm = Later(ToldToConfirm, next.ToldToConfirm),
            ToldToRefresh = Later(ToldToRefresh, next.ToldToRefresh),
        };

        /// <summary>Two that are told apart no more, with all that is between them.</summary>
        internal static Entry Of(Entry one, Entry other) => new(
            Math.Min(one.First, other.First), Math.Max(one.Last, other.Last), Math.Max(one.Newest, other.Newest),
            new GeoOutcomeUnknownException(
                $"Updates were taken out more than {Most} times, and whether one of the first took effect is not told apart any more; of "
                + $"the last of these: {other.Reason.Message}"))
        {
            ToldToConfirm = Later(one.ToldToConfirm, other.ToldToConfirm),
            ToldToRefresh = Later(one.ToldToRefresh, other.ToldToRefresh),
        };

        internal bool Concerns(WaitKind kind, long sequence, int since) => kind switch
        {
            WaitKind.One => first <= sequence && sequence <= last,
            WaitKind.Confirm => first <= sequence && IsNews(ToldToConfirm, since),
            WaitKind.Refresh => first <= sequence && IsNews(ToldToRefresh, since),
            _ => false,
        };

        private static bool IsNews(int told, int since) => told == 0 || told > since;

        private static int Later(int one, int other) => one == 0 || other == 0 ? 0 : Math.Max(one, other);
    }
}
