using Geo.Consistency;
using Geo.Embedded;

namespace Geo.Testing;

/// <summary>A session of a <see cref="ViewRun"/>: calls now through this cluster, now through that, and keeps its token.</summary>
internal sealed class ViewSession
{
    private readonly ViewRun _run;
    private readonly IReadOnlyList<SimulatedClient> _clients;
    private readonly ChoiceTape _choices;
    private readonly int _number;
    private SimulatedClient _client;
    private GeoSession _session = new();
    private int _lives;

    public ViewSession(ViewRun run, int number)
    {
        (_run, _number) = (run, number);
        _clients = [.. run.World.Clusters.Select(c => c.Client($"session-{number}-{c.Id}"))];
        _choices = run.World.Choices.Tape($"session {number}");
        _client = _clients[number % _clients.Count];
    }

    /// <summary>A session that has lost what it had seen goes on as another.</summary>
    private string Name => $"session {_number}.{_lives}";

    public async Task RunAsync(TimeSpan until)
    {
        while (_run.World.Time.Elapsed < until && _choices.HasMore)
        {
            Task calling;
            using (_choices.Span(Name))
            {
                await _run.World.PassAsync(_choices.Between(TimeSpan.FromMilliseconds(5), TimeSpan.FromMilliseconds(300)));
                _client = _choices.Next(10) < 4 ? _clients[_choices.Next(_clients.Count)] : _client;
                var type = _run.Classes[_choices.Next(_run.Classes.Count)];
                var onMiss = (SessionMiss)_choices.Next(3);
                var flaw = _run.HasFlaws && _choices.Next(8) == 7 ? (NoteFlaw)_choices.Next(1, 3) : NoteFlaw.None;
                calling = _choices.Next(14) switch
                {
                    < 4 => WriteAsync(type, flaw, new() { OnMiss = onMiss }),
                    4 => WriteAsync(type, flaw, new() { OnMiss = onMiss, IsConfirmed = false }),
                    < 8 => WriteAsync(type, flaw, new() { OnMiss = onMiss, IsConditional = true }),
                    8 => ReadAsync(type, ReadLevel.Tentative, onMiss),
                    9 => ReadAsync(type, ReadLevel.Linearizable, onMiss),
                    10 or 11 => ReadAsync(type, ReadLevel.Confirmed, onMiss, isBounded: true),
                    _ => ReadAsync(type, ReadLevel.Confirmed, onMiss),
                };
            }

            _run.World.OpenCalls++;
            await calling;
            _run.World.OpenCalls--;
        }
    }

    /// <summary>Has one update queued through a cluster, not confirmed.</summary>
    public Task QueueAsync(Type type, SimulatedCluster through)
    {
        _client = _clients[_run.World.Clusters.ToList().IndexOf(through)];
        return WriteAsync(type, NoteFlaw.None, new() { OnMiss = SessionMiss.Throw, IsConfirmed = false });
    }

    /// <summary>Goes on as a session that has seen nothing.</summary>
    public void Restart()
    {
        _session = new GeoSession();
        _lives++;
    }

    private async Task WriteAsync(Type type, NoteFlaw flaw, ViewUpdate how)
    {
        var (update, key, record) = (_run.NextUpdate(flaw, how.IsConditional), NotesClasses.NameOf(type), _run.Record);
        var call = new UpdateCall(UpdateCallKind.Write, update);
        var (own, confirmed, linear) =
            (record.Sessions.Call(key, Name, call), record.Confirmed.Call(key, Name, call), record.Linear.Call(key, Name, call));
        var sent = _session.Token;
        UpdateOutcome? outcome = null;
        var end = await TryAsync(
            async () => outcome = await Grain(type).Write(update, flaw, how.IsConfirmed, how.IsConditional, how.OnMiss));
        _run.World.Trace.Note($"{Name} writes {update} to {key}{(flaw == NoteFlaw.None ? "" : $", a flaw in its {flaw}")}: {end}");
        if (end == CallEnd.Failed || outcome is { IsRefused: true })
        {
            own.Fail();
            confirmed.Fail();
            linear.Fail();
        }
        else if (end == CallEnd.Answered)
        {
            if (outcome!.IsConfirmed || flaw == NoteFlaw.None)
            {
                // What was only queued and cannot be written is taken out, and what the session wrote after it goes on.
                own.Return(SeenUpdates.None);
            }

            if (outcome.IsConfirmed)
            {
                confirmed.Return(SeenUpdates.None);
                linear.Return(default);
                record.WasConfirmed(type, update);
                _run.World.Counts.UpdatesConfirmed++;
            }
        }

        Take(record, sent, outcome?.Session);
    }

    private async Task ReadAsync(Type type, ReadLevel level, SessionMiss onMiss, bool isBounded = false)
    {
        var (key, record, call, asked) =
            (NotesClasses.NameOf(type), _run.Record, new UpdateCall(UpdateCallKind.Read), _run.World.Time.Elapsed);
        var own = record.Sessions.Call(key, Name, call);
        var confirmed = level == ReadLevel.Tentative ? null : record.Confirmed.Call(key, Name, call);
        var linear = level == ReadLevel.Linearizable ? record.Linear.Call(key, Name, call) : null;
        var sent = _session.Token;
        Versioned<int[]>? seen = null;
        var end = await TryAsync(async () => seen = level switch
        {
            ReadLevel.Tentative => await Grain(type).ReadTentative(onMiss),
            ReadLevel.Linearizable => await Grain(type).ReadLatest(),
            _ when isBounded && (_run.KeepsBounds || !NotesClasses.IsLed(type)) => await Grain(type).ReadBounded(onMiss),
            _ => await Grain(type).Read(onMiss),
        });
        _run.World.Trace.Note($"{Name} reads {key} {level}: {end}");
        if (end == CallEnd.Answered)
        {
            var log = record.Seen(seen!.Value);
            var updates = level == ReadLevel.Tentative
                ? record.Tentative(key, seen.Value.Take((int)seen.Version), seen.Value.Skip((int)seen.Version))
                : new SeenUpdates([.. log.Select(u => (long)u)]);
            _run.World.Counts.Reads++;
            own.Return(updates);
            confirmed?.Return(updates);
            linear?.Return(LogPrefix.Of(log, log.Length));
            if (isBounded)
            {
                record.CheckBound(type, Name, asked, log);
            }
        }
        else if (end == CallEnd.Unknown)
        {
            // Perhaps because an update of the session may have been lost: it goes on without.
            Restart();
        }

        Take(record, sent, seen?.Session);
    }

    private INotesGrain Grain(Type type) => _client.Grains.GetGrain<INotesGrain>("1", type.FullName);

    private async Task<CallEnd> TryAsync(Func<Task> call)
    {
        SessionContext.Token = _session.Token;
        try
        {
            return (await CallAttempts.TryAsync(_client.Grains.GetGrain<INotesGrain>("1", _run.Classes[0].FullName), _ => call())).End;
        }
        catch (SessionLostException)
        {
            Restart();
            return CallEnd.Unknown;
        }
        catch (GeoSerializationException)
        {
            // It was taken out, and is part of no version.
            _run.World.Counts.Count("updates that cannot be written");
            return CallEnd.Failed;
        }
    }

    private void Take(ViewRecord record, SessionToken sent, SessionToken? received)
    {
        // What was seen before the store was set back is of another history.
        if (received is not null && _run.KeepsSessions && record == _run.Record)
        {
            _session.Take(sent, received);
        }
    }
}
