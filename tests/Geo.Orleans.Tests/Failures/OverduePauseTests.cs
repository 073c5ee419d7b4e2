using System.Reflection;
using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Timers;

namespace Geo.Orleans.Tests.Failures;

/// <summary>What is under way on a silo that stood still waits for the overdue renewal of its lease, and then goes on.</summary>
public sealed class OverduePauseTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_call_during_which_its_silo_stood_still_is_answered(bool isFiltered)
    {
        var key = $"paused-{isFiltered}";
        var guard = new PausedGuard();
        await using var clusters = await StartAsync(guard, isFiltered);
        var guest = clusters.Grains("eu").GetGrain<IGuest>(key);
        var before = await guest.Where();
        var staying = guest.Stay();
        await Eventually.Is(true, () => Task.FromResult(Guest.Leave.ContainsKey(key)));

        guard.Pause();
        Guest.Leave[key].SetResult();
        await Task.WhenAny(guard.Asked, staying);
        Assert.False(staying.IsCompleted);
        guard.GoOn();

        await staying;
        Assert.Equal(before, await guest.Where());
    }

    [Fact]
    public async Task A_tick_while_its_silo_stands_still_comes_afterwards()
    {
        var (guard, timers, ticks) = (new PausedGuard(), new OneTimer(), 0);
        await using var clusters = await StartAsync(guard);
        var grain = DispatchProxy.Create<IGrainContext, ContextOf>();
        ((ContextOf)grain).GrainId = clusters.Grains("eu").GetGrain<IGuest>("paused").GetGrainId();
        _ = new LeasedTimers(timers, clusters.SilosOf("eu")[0].Services).RegisterGrainTimer(
            grain, (_, _) => Task.FromResult(ticks++), 0, new GrainTimerCreationOptions(TimeSpan.Zero, Timeout.InfiniteTimeSpan));

        guard.Pause();
        var tick = timers.Tick!();
        Assert.False(tick.IsCompleted);
        Assert.Equal(0, ticks);
        guard.GoOn();
        await tick;

        Assert.Equal(1, ticks);
    }

    private static Task<GeoTestCluster> StartAsync(PausedGuard guard, bool isFiltered = false) => GeoTestCluster.StartAsync(new()
    {
        Clusters = ["eu"],
        Services = services =>
        {
            services.AddSingleton<ILeaseGuard>(guard);
            if (isFiltered)
            {
                UnreachedMessages.Use(services);
            }
        },
    });

    /// <summary>A lease whose renewal is overdue for as long as the test says.</summary>
    private sealed class PausedGuard : ILeaseGuard
    {
        private readonly TaskCompletionSource _asked = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _renewed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private volatile bool _isPaused;

        public bool MayServe => !_isPaused;

        /// <summary>Ends when somebody waits for the renewal.</summary>
        public Task Asked => _asked.Task;

        public async ValueTask<bool> MayServeSoonAsync()
        {
            if (_isPaused)
            {
                _asked.TrySetResult();
                await _renewed.Task;
            }

            return MayServe;
        }

        public void Pause() => _isPaused = true;

        public void GoOn()
        {
            _isPaused = false;
            _renewed.SetResult();
        }
    }

    /// <summary>An activation of which only the grain is asked for.</summary>
    public class ContextOf : DispatchProxy
    {
        public GrainId GrainId { get; set; }

        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) =>
            targetMethod?.Name == $"get_{nameof(GrainId)}" ? GrainId : throw new NotSupportedException(targetMethod?.Name);
    }

    /// <summary>Lets the last timer tick when the test says so.</summary>
    private sealed class OneTimer : ITimerRegistry
    {
        public Func<Task>? Tick { get; private set; }

        [Obsolete("As Orleans has it.")]
        public IDisposable RegisterTimer(
            IGrainContext grainContext, Func<object?, Task> callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            throw new NotSupportedException();

        public IGrainTimer RegisterGrainTimer<TState>(
            IGrainContext grainContext, Func<TState, CancellationToken, Task> callback, TState state, GrainTimerCreationOptions options)
        {
            Tick = () => callback(state, CancellationToken.None);
            return null!;
        }
    }
}
