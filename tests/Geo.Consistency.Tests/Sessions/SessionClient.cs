using System.Globalization;
using Geo.Testing;

namespace Geo.Consistency.Tests.Sessions;

/// <summary>One session that reads and writes a grain now in this cluster, now in that, and keeps its token.</summary>
internal sealed class SessionClient(
    ISessionWorld world, History<UpdateCall, SeenUpdates> history, string name, SessionWeakness weakness, Random random, Func<long> number)
{
    // Longer than a session's miss is waited for, so that only a crash leaves a call without an end.
    private static readonly TimeSpan GivenUpAfter = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan MissWait = TimeSpan.FromSeconds(2);

    private readonly GeoSession _session = new();
    private string _cluster = world.Clusters[random.Next(world.Clusters.Count)];

    /// <summary>How many calls were refused because the cluster had not what the session has seen.</summary>
    internal int Misses { get; private set; }

    internal async Task RunAsync(int calls)
    {
        for (var i = 0; i < calls; i++)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(random.Next(150)), world.Scheduler.Time);
            _cluster = random.Next(10) < 4 ? world.Clusters[random.Next(world.Clusters.Count)] : _cluster;
            await (random.Next(2) == 0 ? ReadAsync() : UpdateAsync());
        }
    }

    private async Task ReadAsync()
    {
        var read = new ViewRead
        {
            Level = random.Next(3) == 0 ? ReadLevel.Tentative : ReadLevel.Confirmed,
            Session = _session.Token,
            OnMiss = (SessionMiss)random.Next(3),
            Wait = MissWait,
        };
        var call = history.Call("notes", name, new(UpdateCallKind.Read));
        var seen = await CallAsync(call, view => view.ReadAsync(
            notes => new SeenUpdates([.. notes.Lines.Select(l => long.Parse(l, CultureInfo.InvariantCulture))]), read));
        if (seen is not null)
        {
            call.Return(seen.Value);
            Take(read.Session, seen.Session, weakness != SessionWeakness.ForgetsReads);
        }
    }

    private async Task UpdateAsync()
    {
        var how = new ViewUpdate
        {
            IsConfirmed = random.Next(2) == 0,
            Session = weakness == SessionWeakness.UpdatesWithout ? SessionToken.None : _session.Token,
            OnMiss = (SessionMiss)random.Next(3),
            Wait = MissWait,
        };
        var update = number();
        var call = history.Call("notes", name, new(UpdateCallKind.Write, update));
        var outcome = await CallAsync(call, view => view.UpdateAsync(update.ToString(CultureInfo.InvariantCulture), how));
        if (outcome is not null)
        {
            call.Return(SeenUpdates.None);
            Take(how.Session, outcome.Session, weakness != SessionWeakness.ForgetsWrites);
        }
    }

    /// <summary>What a call gave; null where it gave nothing: it had no effect, or nobody knows.</summary>
    private async Task<T?> CallAsync<T>(
        HistoryOperation<UpdateCall, SeenUpdates> call, Func<IVersionedView<Kit.Notes, string>, Task<T>> function)
        where T : class
    {
        var calling = world.CallAsync(_cluster, function);
        try
        {
            await Task.WhenAny(calling, Task.Delay(GivenUpAfter, world.Scheduler.Time));
            return calling.IsCompleted ? await calling : null;
        }
        catch (GeoUnavailableException)
        {
            Misses++;
            call.Fail();
            return null;
        }
        catch (Exception e) when (e is GeoOutcomeUnknownException or ObjectDisposedException)
        {
            return null;
        }
    }

    private void Take(SessionToken sent, SessionToken received, bool isKept)
    {
        if (isKept)
        {
            _session.Take(sent, received);
        }
    }
}
