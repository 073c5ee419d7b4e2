using Geo.Consistency.Tests.Kit;
using Geo.Consistency.Tests.Sessions;

namespace Geo.Consistency.Tests.Views;

/// <summary>One who calls the grain now in this cluster, now in that, in every way, and takes down what he is told.</summary>
internal sealed class ToldCaller(ISessionWorld world, ToldRecord record, Random random, int number)
{
    private static readonly TimeSpan GivenUpAfter = TimeSpan.FromSeconds(8);
    private static readonly TimeSpan MissWait = TimeSpan.FromSeconds(2);

    private SessionToken _session = SessionToken.None;
    private bool _mustNotRead;
    private int _last;

    internal async Task RunAsync(int calls)
    {
        var cluster = world.Clusters[0];
        for (var i = 0; i < calls; i++)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(random.Next(200)), world.Scheduler.Time);
            cluster = random.Next(10) < 4 ? world.Clusters[random.Next(world.Clusters.Count)] : cluster;
            await (random.Next(6) switch
            {
                0 => RaiseAsync(cluster, random.Next(2) == 0),
                1 => ReadAsync(cluster),
                2 => UpdateAsync(cluster, ViewUpdate.Conditional),
                3 => UpdateAsync(cluster, ViewUpdate.Queued),
                _ => UpdateAsync(cluster, ViewUpdate.Confirmed),
            });
        }
    }

    /// <summary>Raises, and waits for all that was raised, at once or some turns later.</summary>
    private async Task RaiseAsync(string cluster, bool isRefresh)
    {
        var (update, pause) = (Next(), random.Next(3) * 20);
        var by = isRefresh ? "RefreshAsync" : "ConfirmAsync";
        var end = await CallAsync(
            cluster,
            by,
            async view =>
            {
                view.Enqueue(update);
                await Task.Delay(TimeSpan.FromMilliseconds(pause), world.Scheduler.Time);
                await (isRefresh ? view.RefreshAsync() : view.ConfirmAsync());
                return by;
            },
            failure =>
            {
                if (failure is GeoUnavailableException)
                {
                    record.Refused(update, by);
                }
            });

        // Another's refresh or confirm may have been told in the pause.
        if (end is not null && pause == 0)
        {
            record.Applied(update, by);
        }
    }

    private async Task UpdateAsync(string cluster, ViewUpdate how)
    {
        var (update, sent) = (Next(), _session);
        var isRefused = false;
        var outcome = await CallAsync(
            cluster, "UpdateAsync", view => view.UpdateAsync(update, how with { Session = sent, OnMiss = Miss(), Wait = MissWait }),
            _ => isRefused = true);
        if (isRefused || outcome is { IsRefused: true })
        {
            record.Refused(update, $"UpdateAsync {how.IsConditional} {how.IsConfirmed}");
        }
        else if (outcome is { IsConfirmed: true })
        {
            record.Applied(update, $"UpdateAsync {how.IsConditional}");
        }

        if (outcome is not null)
        {
            _session = outcome.Session;
            _mustNotRead |= update == CountingSerializer.Unwritable && !outcome.IsConfirmed && !outcome.IsRefused;
        }
    }

    /// <summary>A session that has queued what never becomes part of a version never reads what is confirmed.</summary>
    private async Task ReadAsync(string cluster)
    {
        var read = new ViewRead { Session = _session, OnMiss = Miss(), Wait = MissWait };
        var seen = await CallAsync(cluster, "ReadAsync", view => view.ReadAsync(notes => notes.Lines.ToArray(), read));
        Assert.False(seen is not null && _mustNotRead, $"caller {number} reads although its update was taken out");
        _session = seen?.Session ?? _session;
    }

    private string Next() => random.Next(6) == 0 ? CountingSerializer.Unwritable : $"{number}.{++_last}";

    private SessionMiss Miss() => (SessionMiss)random.Next(3);

    /// <summary>What a call gave; null where it failed or nobody knows.</summary>
    private async Task<T?> CallAsync<T>(
        string cluster, string what, Func<IVersionedView<Notes, string>, Task<T>> call, Action<Exception>? refused = null)
        where T : class
    {
        var calling = world.CallAsync(cluster, call);
        try
        {
            await Task.WhenAny(calling, Task.Delay(GivenUpAfter, world.Scheduler.Time));
            return calling.IsCompleted ? await calling : null;
        }
        catch (Exception e) when (e is GeoException or ObjectDisposedException)
        {
            record.Count($"{what} {e.GetType().Name}");
            if (e is GeoUnavailableException or GeoSerializationException or SessionLostException)
            {
                refused?.Invoke(e);
            }

            if (e is SessionLostException or GeoOutcomeUnknownException)
            {
                // As docs/consistency.md says: the session goes on without.
                (_session, _mustNotRead) = (_session.Without(CasWorld.Grain), false);
            }

            return null;
        }
    }
}
