using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Looks at this silo's instances whose classes say where they are to live, and moves those that <see cref="HomeRules"/> want elsewhere. A
/// silo that serves no such class has none.
/// </summary>
internal sealed class HomeKeeper : IAsyncDisposable
{
    // By key, so that a simulation can repeat it.
    private static readonly Comparer<GrainKey> First = Comparer<GrainKey>.Create(static (one, other) =>
        string.CompareOrdinal(one.Type, other.Type) is not 0 and var type ? type : string.CompareOrdinal(one.Key, other.Key));

    private static readonly Comparer<GrainKey> Last = Comparer<GrainKey>.Create(static (one, other) => First.Compare(other, one));

    private readonly ClusterId _local;
    private readonly Func<MultiClusterConfiguration> _clusters;
    private readonly IClusterMessenger _messenger;
    private readonly Func<IGeoAdministration> _administration;
    private readonly GlobalDirectoryOptions _options;
    private readonly DirectoryMetrics _metrics;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly long _started;
    private readonly CallerSlots _slots;
    private readonly CallerCount[] _room = new CallerCount[CallerSlots.Most];
    private readonly ConcurrentDictionary<GrainKey, HomedGrain> _grains = new();

    // Until when grains stay that were moved, here or away, and how many moves in a row have failed; and all grains, where there were too
    // many to remember.
    private readonly ConcurrentDictionary<GrainKey, (TimeSpan Until, int Failures)> _stays = new();
    private readonly ConcurrentDictionary<GrainKey, Task> _moving = new();
    private readonly CancellationTokenSource _lifetime = new();
    private TimeSpan _allStayUntil;
    private Task _loop = Task.CompletedTask;
    private bool _disposed;

    /// <param name="messenger">Says which clusters can be reached; it names the local one.</param>
    /// <param name="clusters">C_n.</param>
    /// <param name="administration">Moves grains.</param>
    /// <param name="options">The limits.</param>
    /// <param name="metrics">Counts moves.</param>
    /// <param name="time">The clock.</param>
    /// <param name="logger">The log.</param>
    public HomeKeeper(
        IClusterMessenger messenger, Func<MultiClusterConfiguration> clusters, Func<IGeoAdministration> administration,
        GlobalDirectoryOptions options, DirectoryMetrics metrics, TimeProvider time, ILogger logger)
    {
        (_local, _messenger, _clusters, _administration) = (messenger.LocalCluster, messenger, clusters, administration);
        (_options, _metrics, _time, _logger, _started) = (options, metrics, time, logger, time.GetTimestamp());
        _slots = new CallerSlots(_local);
    }

    /// <summary>How many instances it looks at.</summary>
    public int Count => _grains.Count;

    /// <summary>Begins to look; on the caller's synchronization context or task scheduler.</summary>
    /// <param name="directories">Say when a grain comes here by a move.</param>
    public void Start(InstanceDirectories directories)
    {
        directories.Global.Arrived += Arrived;
        if (directories.Quorum is { } quorum)
        {
            quorum.Arrived += Arrived;
        }

        var home = SynchronizationContext.Current is null ? TaskScheduler.Current : TaskScheduler.FromCurrentSynchronizationContext();
        _loop = Task.Factory.StartNew(RunAsync, CancellationToken.None, TaskCreationOptions.DenyChildAttach, home).Unwrap();
    }

    /// <summary>The counts of an instance that follows its callers.</summary>
    public CallerCounts Counts() => new(_slots);

    /// <summary>An instance has its row, and begins on this silo.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="declaration">Its class.</param>
    /// <param name="calls">Its counts; null where it follows nobody.</param>
    /// <returns>To be handed to <see cref="Ended(HomedGrain)"/>; null where there are too many, and it stays where it is.</returns>
    public HomedGrain? Begins(GrainKey key, GrainDeclaration declaration, CallerCounts? calls)
    {
        if (_grains.Count >= _options.MaxHomedGrains)
        {
            _metrics.Refused("homed grains");
            return null;
        }

        return _grains[key] = new(key, declaration, calls);
    }

    /// <summary>The instance has ended.</summary>
    public void Ended(HomedGrain grain) => _grains.TryRemove(new(grain.Key, grain));

    /// <summary>The instance of a grain has ended.</summary>
    public void Ended(GrainKey key) => _grains.TryRemove(key, out _);

    /// <summary>A call has come to an instance on this silo.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="from">The cluster in which it was made; none for this one.</param>
    public void NoteCall(GrainKey key, ClusterId from)
    {
        if (_grains.TryGetValue(key, out var grain))
        {
            grain.Calls?.Note(from);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, true))
        {
            return;
        }

        _lifetime.Cancel();
        await Patience.EndAsync(_loop);
        foreach (var moving in _moving.Values)
        {
            await Patience.EndAsync(moving);
        }
    }

    private TimeSpan Now => _time.GetElapsedTime(_started);

    private void Arrived(GrainKey key) => StaysUntil(key, HomeRules.StaysUntil(Now));

    private void StaysUntil(GrainKey key, TimeSpan until, int failures = 0)
    {
        if (_stays.Count >= _options.MaxHomedGrains && !_stays.ContainsKey(key))
        {
            // Without knowing which: all stay.
            _allStayUntil = HomeRules.StaysUntil(Now);
            return;
        }

        _stays[key] = (until, failures);
    }

    private async Task RunAsync()
    {
        while (!_lifetime.IsCancellationRequested)
        {
            try
            {
                await Task.Delay(HomeRules.Interval, _time, _lifetime.Token);
                Look();
            }
            catch (OperationCanceledException) when (_lifetime.IsCancellationRequested)
            {
                return;
            }
            catch (Exception e)
            {
                _logger.LoopFailed("look at the homes of grains", e);
            }
        }
    }

    private void Look()
    {
        var (now, clusters) = (Now, _clusters());
        foreach (var (key, stay) in _stays)
        {
            // How often its moves have failed is remembered as long again: the next one may fail, too.
            if (stay.Until + (stay.Failures == 0 ? TimeSpan.Zero : HomeRules.StayAfter(stay.Failures)) <= now)
            {
                _stays.TryRemove(new(key, stay));
            }
        }

        var areAllLinked = clusters.Others(_local).All(_messenger.IsLinked);
        Func<ClusterId, bool> mayTakeOne = cluster => clusters.MayOwn(cluster) && _messenger.IsLinked(cluster);
        Func<ClusterId, bool> mayTake = cluster => areAllLinked && mayTakeOne(cluster);
        var due = new PriorityQueue<(HomedGrain Grain, HomeState Next, ClusterId To), GrainKey>(Last);
        var room = _options.MaxHomeMoves - _moving.Count;
        foreach (var (key, grain) in _grains)
        {
            if (_moving.ContainsKey(key))
            {
                continue;
            }

            var until = _stays.GetValueOrDefault(key).Until;
            var state = grain.State with { StaysUntil = until > _allStayUntil ? until : _allStayUntil };
            var calls = grain.Calls is { } counts ? counts.Read(_room) : [];
            var (next, to) = HomeRules.Look(
                state, grain.Home, _local, calls, grain.IsOwnedByQuorum ? mayTakeOne : mayTake, now);
            grain.Calls?.Fade();
            if (to.IsNone)
            {
                grain.State = next;
            }
            else if (due.Count < room)
            {
                due.Enqueue((grain, next, to), key);
            }
            else if (room > 0)
            {
                // Those for which there is no room are wanted elsewhere at the next look, too.
                due.EnqueueDequeue((grain, next, to), key);
            }
        }

        foreach (var (grain, next, to) in due.UnorderedItems.OrderBy(d => d.Priority, First).Select(d => d.Element))
        {
            grain.State = next;
            StaysUntil(grain.Key, next.StaysUntil, _stays.GetValueOrDefault(grain.Key).Failures);
            _moving[grain.Key] = Task.CompletedTask;
            var moving = MoveAsync(grain, to);
            _moving.TryUpdate(grain.Key, moving, Task.CompletedTask);
        }
    }

    private async Task MoveAsync(HomedGrain grain, ClusterId to)
    {
        var (why, reason) = grain.Home.Policy == HomePolicy.PreferredCluster
            ? ("Its home is back.", "home")
            : ("It follows its callers.", "callers");
        var (isTried, isMoved) = (true, false);
        try
        {
            var administration = _administration();
            var row = await administration.InspectAsync(grain.Key, _lifetime.Token);
            if (row is not { State: GsiState.Owned })
            {
                // In doubt, which its round ends: a move would only have it begin in doubt elsewhere.
                isTried = false;
                StaysUntil(grain.Key, Now + HomeRules.Pause, _stays.GetValueOrDefault(grain.Key).Failures);
                if (row is not { Entry.MayRunHere: true })
                {
                    Ended(grain);
                }

                return;
            }

            _logger.HomeMove(grain.Key, _local, to, why);
            isMoved = await administration.MoveAsync(grain.Key, to, why, _lifetime.Token);
            NoteEnd(grain.Key, to, isMoved, null);
        }
        catch (Exception e) when (!_lifetime.IsCancellationRequested)
        {
            NoteEnd(grain.Key, to, isMoved: false, e);
        }
        catch (OperationCanceledException)
        {
            // The silo ends.
        }
        finally
        {
            if (isTried)
            {
                _metrics.HomeMove(reason, isMoved);
            }

            _moving.TryRemove(grain.Key, out _);
        }
    }

    private void NoteEnd(GrainKey key, ClusterId to, bool isMoved, Exception? exception)
    {
        var failures = isMoved ? 0 : _stays.GetValueOrDefault(key).Failures + 1;
        var stay = HomeRules.StayAfter(failures);
        StaysUntil(key, Now + stay, failures);
        if (!isMoved)
        {
            _logger.HomeNotReached(key, to, stay, exception);
        }
    }
}
