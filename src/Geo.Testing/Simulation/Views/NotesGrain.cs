using Geo.Consistency;
using Geo.Embedded;

namespace Geo.Testing;

/// <summary>A versioned grain of a <see cref="ViewSimulation"/>.</summary>
internal abstract class NotesGrain : JournaledGrain<NotesLog, NoteAdded>, INotesGrain
{
    public static readonly TimeSpan MissWait = TimeSpan.FromSeconds(2);

    public Task<UpdateOutcome> Write(int update, NoteFlaw flaw, bool isConfirmed, bool isConditional, SessionMiss onMiss) => RaiseEvent(
        new NoteAdded(update, flaw),
        new ViewUpdate { IsConfirmed = isConfirmed, IsConditional = isConditional, OnMiss = onMiss, Wait = MissWait });

    public Task<Versioned<int[]>> Read(SessionMiss onMiss) => ReadAsync(ReadLevel.Confirmed, onMiss);

    public Task<Versioned<int[]>> ReadBounded(SessionMiss onMiss) => ReadAsync(ReadLevel.Confirmed, onMiss, NotesClasses.MaxStaleness);

    public Task<Versioned<int[]>> ReadTentative(SessionMiss onMiss) => ReadAsync(ReadLevel.Tentative, onMiss);

    public Task<Versioned<int[]>> ReadLatest() => ReadAsync(ReadLevel.Linearizable, SessionMiss.Wait);

    private Task<Versioned<int[]>> ReadAsync(ReadLevel level, SessionMiss onMiss, TimeSpan? maxAge = null) =>
        ReadVersion(
            log => log.Updates.ToArray(), new ViewRead { Level = level, OnMiss = onMiss, Wait = MissWait, MaxAge = maxAge });
}
