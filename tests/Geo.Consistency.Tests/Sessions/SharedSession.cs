using Geo.Consistency.Tests.Kit;

namespace Geo.Consistency.Tests.Sessions;

/// <summary>One session whose calls run side by side, in several clusters, and what it has seen and written for certain.</summary>
internal sealed class SharedSession(ISessionWorld world, Random random, Func<string> nextUpdate)
{
    private static readonly TimeSpan GivenUpAfter = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan MissWait = TimeSpan.FromSeconds(1);

    private readonly Dictionary<string, string[]> _before = [];
    private readonly List<string> _broken = [];
    private GeoSession _session = new();
    private HashSet<string> _known = [];
    private int _life;

    /// <summary>How many reads have returned what the session may see.</summary>
    internal int Reads { get; private set; }

    /// <summary>How often the session was told to go on as a new one.</summary>
    internal int Restarts { get; private set; }

    /// <summary>What was broken.</summary>
    internal IReadOnlyList<string> Broken => _broken;

    internal async Task CallAsync(int calls)
    {
        for (var i = 0; i < calls; i++)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(random.Next(200)), world.Scheduler.Time);
            var cluster = world.Clusters[random.Next(world.Clusters.Count)];
            await (random.Next(2) == 0 ? ReadAsync(cluster) : UpdateAsync(cluster));
        }
    }

    /// <summary>Whoever sees an update sees before it what the session had seen and written when it raised that one.</summary>
    internal void CheckOrder(IReadOnlyList<string> log)
    {
        for (var i = 0; i < log.Count; i++)
        {
            foreach (var earlier in _before.GetValueOrDefault(log[i]) ?? [])
            {
                if (log.Skip(i + 1).Contains(earlier))
                {
                    _broken.Add($"{log[i]} comes before {earlier} in {string.Join(' ', log)}");
                }
            }
        }
    }

    private async Task ReadAsync(string cluster)
    {
        var (life, known) = (_life, _known.ToArray());
        var read = new ViewRead
        {
            Level = (ReadLevel)random.Next(3),
            Session = _session.Token,
            OnMiss = (SessionMiss)random.Next(3),
            Wait = MissWait,
        };
        if (await TryAsync(life, cluster, view => view.ReadAsync(n => n.Lines.ToArray(), read)) is not { } seen)
        {
            return;
        }

        Reads++;
        if (known.Except(seen.Value).ToArray() is { Length: > 0 } missed)
        {
            _broken.Add($"{cluster} shows {string.Join(' ', seen.Value)} ({read.Level}) without {string.Join(' ', missed)}");
        }

        Take(life, read.Session, seen.Session, seen.Value);
    }

    private async Task UpdateAsync(string cluster)
    {
        var (life, known) = (_life, _known.ToArray());
        var kind = random.Next(4);
        var how = new ViewUpdate
        {
            IsConfirmed = kind == 1,
            IsConditional = kind > 1,
            Session = _session.Token,
            OnMiss = (SessionMiss)random.Next(3),
            Wait = MissWait,
        };
        var update = kind == 0 && random.Next(4) == 0 ? CountingSerializer.Unwritable : nextUpdate();
        _before[update] = known;
        if (await TryAsync(life, cluster, view => view.UpdateAsync(update, how)) is { } outcome)
        {
            Take(life, how.Session, outcome.Session, outcome.IsRefused ? [] : [update]);
        }
    }

    private void Take(int life, SessionToken sent, SessionToken received, string[] seen)
    {
        if (life == _life)
        {
            _session.Take(sent, received);
            _known.UnionWith(seen);
        }
    }

    private async Task<T?> TryAsync<T>(int life, string cluster, Func<IVersionedView<Notes, string>, Task<T>> call)
        where T : class
    {
        var calling = world.CallAsync(cluster, call);
        try
        {
            await Task.WhenAny(calling, Task.Delay(GivenUpAfter, world.Scheduler.Time));
            return calling.IsCompleted ? await calling : null;
        }
        catch (Exception e) when (e is GeoUnavailableException or ObjectDisposedException or GeoSerializationException)
        {
            return null;
        }
        catch (Exception e) when (e is GeoOutcomeUnknownException or SessionLostException)
        {
            if (life == _life)
            {
                (_session, _known) = (new(), []);
                _life++;
                Restarts++;
            }

            return null;
        }
    }
}
