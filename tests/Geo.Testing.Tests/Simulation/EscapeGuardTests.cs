namespace Geo.Testing.Tests;

public class EscapeGuardTests
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1);

    private static readonly Dictionary<string, Func<VirtualTime, Task>> Ways = new(StringComparer.Ordinal)
    {
        ["ConfigureAwait(false)"] = static async time =>
        {
            await Task.Delay(Moment, time).ConfigureAwait(false);
            await Task.Yield();
        },
        ["ConfigureAwait(false), not awaited"] = static async time =>
            await Task.WhenAny(LeaveAsync(time), Task.Delay(TimeSpan.FromSeconds(1), time)),
        ["Task.Run, awaited"] = static async _ => await Task.Run(() => Thread.SpinWait(10_000)),
        ["Task.Run, not awaited"] = static (VirtualTime _) =>
        {
            var lost = Task.Run(() => Thread.SpinWait(10_000));
            Assert.NotNull(lost);
            return Task.CompletedTask;
        },
        ["CancelAsync"] = static async _ =>
        {
            using var source = new CancellationTokenSource();
            using var registered = source.Token.Register(() => Thread.SpinWait(1000));
            await source.CancelAsync();
        },
        ["Parallel.ForEachAsync"] = static async _ => await Parallel.ForEachAsync([1, 2, 3], (_, _) => ValueTask.CompletedTask),
        ["file I/O"] = static async _ => await File.ReadAllTextAsync(typeof(EscapeGuardTests).Assembly.Location),
        ["SemaphoreSlim with a token"] = static async time =>
        {
            using var source = new CancellationTokenSource();
            using var gate = new SemaphoreSlim(0);
            var waiting = gate.WaitAsync(source.Token);
            await Task.Delay(Moment, time);
            gate.Release();
            await waiting;
        },
        ["SemaphoreSlim with a time-out"] = static async time =>
        {
            using var gate = new SemaphoreSlim(0);
            var waiting = gate.WaitAsync(TimeSpan.FromMinutes(1));
            await Task.Delay(Moment, time);
            gate.Release();
            await waiting;
        },
        ["ContinueWith on the default scheduler"] = static async time =>
            await Task.Delay(Moment, time).ContinueWith(
                _ => 1, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default),
        ["WhenAll over a source's task"] = static async time =>
        {
            var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            await using var timer = time.CreateTimer(_ => source.SetResult(), null, Moment, Timeout.InfiniteTimeSpan);
            await Task.WhenAll(source.Task, Task.CompletedTask);
        },
    };

    public static TheoryData<string> EachWay => [.. Ways.Keys];

    [Theory]
    [MemberData(nameof(EachWay))]
    public void Work_that_leaves_the_thread_fails_the_run_although_a_timer_is_always_set(string way)
    {
        for (var run = 0; run < 5; run++)
        {
            var scheduler = new SimulationScheduler();
            var failure = Assert.Throws<SimulationException>(() => scheduler.Run(() => WithTickingTimerAsync(scheduler, Ways[way])));
            Assert.Contains("escaped", failure.Message, StringComparison.Ordinal);
            Assert.Contains("last steps", failure.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(EachWay))]
    public void Work_that_leaves_a_hosts_own_scheduler_is_found_too(string way)
    {
        var scheduler = new SimulationScheduler();
        var turns = new TurnsOnALane(scheduler.CreateLane("silo"));
        var failure = Assert.Throws<SimulationException>(() => scheduler.Run(() => WithTickingTimerAsync(
            scheduler,
            time => Task.Factory.StartNew(() => Ways[way](time), CancellationToken.None, TaskCreationOptions.None, turns).Unwrap())));
        Assert.Contains("escaped", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Work_that_comes_back_only_when_the_steps_are_used_up_is_found_too()
    {
        const int most = 1000;
        using var usedUp = new ManualResetEventSlim();
        var scheduler = new SimulationScheduler(maxSteps: most);
        scheduler.AfterStep = _ =>
        {
            if (scheduler.Steps == most)
            {
                usedUp.Set();
            }
        };
        var failure = Assert.Throws<SimulationException>(() => scheduler.Run(() => WithTickingTimerAsync(scheduler, async _ =>
        {
            var back = new TaskCompletionSource();
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    usedUp.Wait(TimeSpan.FromMinutes(1));
                    back.SetResult();
                },
                null);
            await back.Task;
        })));
        Assert.Contains("escaped", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_a_step_leaves_in_its_thread_is_gone_when_the_next_begins()
    {
        var local = new AsyncLocal<string?>();
        var scheduler = new SimulationScheduler();
        var lane = scheduler.CreateLane("silo");
        var seen = "nothing yet";
        scheduler.Run(async () =>
        {
            using (ExecutionContext.SuppressFlow())
            {
                lane.Post(() => local.Value = "left behind");
                lane.Post(() => seen = local.Value);
            }

            await lane.RunAsync(() => Task.CompletedTask);
        });
        Assert.Null(seen);
    }

    /// <summary>
    /// A real host always has a timer set: virtual time would race past what has escaped. What is not awaited escapes often, for one such
    /// item may lie between the pool's queue and its first instruction whenever the guard looks.
    /// </summary>
    private static async Task WithTickingTimerAsync(SimulationScheduler scheduler, Func<VirtualTime, Task> body)
    {
        await using var timer = scheduler.Time.CreateTimer(
            static _ => { }, null, TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(100));
        for (var time = 0; time < 50; time++)
        {
            await body(scheduler.Time);
            await Task.Delay(TimeSpan.FromSeconds(1), scheduler.Time);
        }
    }

    private static async Task LeaveAsync(VirtualTime time)
    {
        await Task.Delay(Moment, time).ConfigureAwait(false);
        Thread.SpinWait(10_000);
    }

    /// <summary>As the turns of a grain: a scheduler of its own that runs within steps of a lane.</summary>
    private sealed class TurnsOnALane(SimulationLane lane) : TaskScheduler
    {
        protected override void QueueTask(Task task)
        {
            using (ExecutionContext.SuppressFlow())
            {
                lane.Post(() => TryExecuteTask(task));
            }
        }

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

        protected override IEnumerable<Task> GetScheduledTasks() => [];
    }
}
