namespace Geo.Testing;

/// <summary>What the sessions of a <see cref="ViewRun"/> have called and seen: a history for each kind of checker.</summary>
/// <param name="run">The run.</param>
/// <param name="updatesBefore">The last update that is of an earlier history: nothing is asked of it.</param>
internal sealed class ViewRecord(ViewRun run, int updatesBefore)
{
    private readonly List<(TimeSpan At, Type Grain, int Update)> _confirmed = [];

    // It is known at the end alone what of that was taken out.
    private readonly List<(string Grain, List<long> Seen, HashSet<long> Queued)> _tentative = [];

    /// <summary>All calls, for the guarantees of a session.</summary>
    public History<UpdateCall, SeenUpdates> Sessions { get; } = new();

    /// <summary>Without what is tentative; updates that nobody has confirmed stay open.</summary>
    public History<UpdateCall, SeenUpdates> Confirmed { get; } = new();

    /// <summary>Updates and linearizable reads.</summary>
    public History<UpdateCall, LogPrefix> Linear { get; } = new();

    /// <summary>What was seen, without what is of an earlier history.</summary>
    public int[] Seen(IEnumerable<int> updates) => [.. updates.Where(u => u > updatesBefore)];

    /// <summary>What a tentative read has shown of a grain.</summary>
    /// <param name="grain">The grain.</param>
    /// <param name="confirmed">The updates of the version that it gave.</param>
    /// <param name="pending">Those that are queued upon it.</param>
    public SeenUpdates Tentative(string grain, IEnumerable<int> confirmed, IEnumerable<int> pending)
    {
        var queued = Seen(pending).Select(u => (long)u).ToHashSet();
        var seen = Seen(confirmed).Select(u => (long)u).Concat(queued).ToList();
        _tentative.Add((grain, seen, queued));
        return new(seen);
    }

    /// <summary>
    /// What cannot be written, or was on a condition, and is in no version was taken out or refused: it binds nobody whom a tentative read
    /// has shown it, and what was written after it goes on. Nor does one that cannot be written, was queued then and was taken out in
    /// doubt, as who made it knows, though it is in a version all the same: a later tentative read may be without it.
    /// </summary>
    /// <param name="grain">The grain.</param>
    /// <param name="last">All updates of its last version.</param>
    public void TakeOut(string grain, IReadOnlyCollection<int> last)
    {
        var confirmed = _confirmed.Select(c => (long)c.Update).ToHashSet();
        foreach (var (_, seen, queued) in _tentative.Where(t => t.Grain == grain))
        {
            seen.RemoveAll(u => run.MayBeRefused(u)
                && (!last.Contains((int)u) || (run.IsFlawed(u) && queued.Contains(u) && !confirmed.Contains(u))));
        }
    }

    /// <summary>An update was confirmed to the one who made it.</summary>
    public void WasConfirmed(Type grain, int update) => _confirmed.Add((run.World.Time.Elapsed, grain, update));

    /// <summary>A bounded read has all that was confirmed long enough before it was asked for.</summary>
    public void CheckBound(Type grain, string session, TimeSpan asked, IReadOnlyList<int> seen)
    {
        if (run.Faults.HasFlag(SimulatedFaults.Clocks | SimulatedFaults.Pauses) || !run.IsKept(grain) || run.Record != this)
        {
            // A wall clock that is set back hides that a machine was suspended; one that is set forth makes what is known older. What was
            // asked for before the store was set back is of an earlier history.
            return;
        }

        var shown = seen.ToHashSet();
        foreach (var (at, of, update) in _confirmed)
        {
            if (of == grain && at <= asked - NotesClasses.MaxStaleness && !shown.Contains(update))
            {
                run.World.Fail($"{session} reads {NotesClasses.NameOf(grain)} without update {update}, confirmed {asked - at} before");
            }
        }
    }
}
