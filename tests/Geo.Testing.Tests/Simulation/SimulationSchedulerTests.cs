namespace Geo.Testing.Tests;

public class SimulationSchedulerTests
{
    [Fact]
    public void Hours_of_waiting_take_no_time_and_stay_on_one_thread()
    {
        var scheduler = new SimulationScheduler();
        var thread = Environment.CurrentManagedThreadId;

        scheduler.Run(async () =>
        {
            for (var hour = 0; hour < 100; hour++)
            {
                await Task.Delay(TimeSpan.FromHours(1), scheduler.Time);
                Assert.Equal(thread, Environment.CurrentManagedThreadId);
                Assert.Same(scheduler.Root, TaskScheduler.Current);
            }
        });

        Assert.Equal(TimeSpan.FromHours(100), scheduler.Time.Elapsed);
    }

    [Fact]
    public void Steps_run_first_in_first_out_without_an_order()
    {
        Assert.Equal([0, 1, 2, 0, 1, 2, 0, 1, 2], Interleave(null));
    }

    [Fact]
    public void A_seed_chooses_the_order_of_ready_steps_and_chooses_it_again()
    {
        Assert.Equal(Interleave(new ChoiceTape("order", new Random(7))), Interleave(new ChoiceTape("order", new Random(7))));
        Assert.NotEqual(Interleave(new ChoiceTape("order", new Random(7))), Interleave(new ChoiceTape("order", new Random(8))));
    }

    [Fact]
    public void A_completion_source_that_runs_continuations_asynchronously_stays_inside()
    {
        var scheduler = new SimulationScheduler();
        var result = scheduler.Run(async () =>
        {
            var source = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
            scheduler.Root.Post(() => source.SetResult(42));
            return await source.Task;
        });

        Assert.Equal(42, result);
    }

    [Fact]
    public void Cancellation_by_time_reaches_an_awaiter_inside()
    {
        var scheduler = new SimulationScheduler();
        scheduler.Run(async () =>
        {
            using var source = new CancellationTokenSource(TimeSpan.FromSeconds(1), scheduler.Time);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => Task.Delay(TimeSpan.FromSeconds(9), scheduler.Time, source.Token));
        });

        Assert.Equal(TimeSpan.FromSeconds(1), scheduler.Time.Elapsed);
    }

    [Fact]
    public void Work_that_escapes_to_the_thread_pool_fails_the_run()
    {
        var scheduler = new SimulationScheduler();

        // What has ended before it is awaited is not seen to escape: this ends after the step that awaits it.
        using var awaited = new ManualResetEventSlim();
        scheduler.AfterStep = _ => awaited.Set();
        var failure = Assert.Throws<SimulationException>(() => scheduler.Run(async () => await Task.Run(() => awaited.Wait())));
        Assert.Contains("escaped", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_continuation_that_leaves_the_lane_fails_the_run()
    {
        var scheduler = new SimulationScheduler();
        var failure = Assert.Throws<SimulationException>(() => scheduler.Run(LeaveAsync));
        Assert.Contains("escaped", failure.Message, StringComparison.Ordinal);

        async Task LeaveAsync() => await Inner();
        async Task Inner()
        {
            await Task.Delay(TimeSpan.FromSeconds(1), scheduler.Time).ConfigureAwait(false);
            await Task.Delay(TimeSpan.FromSeconds(1), scheduler.Time);
        }
    }

    [Fact]
    public void Awaiting_what_nobody_completes_fails_the_run()
    {
        var scheduler = new SimulationScheduler();
        var failure = Assert.Throws<SimulationException>(() => scheduler.Run(() => new TaskCompletionSource().Task));
        Assert.Contains("nothing is ready", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_run_that_never_ends_uses_up_its_budget()
    {
        var scheduler = new SimulationScheduler(maxSteps: 1000);
        var failure = Assert.Throws<SimulationException>(() => scheduler.Run(async () =>
        {
            while (true)
            {
                await Task.Delay(TimeSpan.FromSeconds(1), scheduler.Time);
            }
        }));
        Assert.Contains("1000 steps", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_exception_of_the_function_is_the_exception_of_the_run()
    {
        var scheduler = new SimulationScheduler();
        Assert.Throws<FormatException>(() => scheduler.Run(async () =>
        {
            await Task.Yield();
            throw new FormatException();
        }));
    }

    [Fact]
    public void A_halted_lane_never_runs_again_not_even_its_finally_blocks()
    {
        var scheduler = new SimulationScheduler();
        var lane = scheduler.CreateLane("silo");
        var seen = new List<string>();
        scheduler.Run(async () =>
        {
            _ = lane.RunAsync(async () =>
            {
                try
                {
                    seen.Add("started");
                    await Task.Delay(TimeSpan.FromSeconds(2), scheduler.Time);
                    seen.Add("went on");
                }
                finally
                {
                    seen.Add("cleaned up");
                }
            });
            await Task.Delay(TimeSpan.FromSeconds(1), scheduler.Time);
            lane.Halt();
            await Task.Delay(TimeSpan.FromSeconds(5), scheduler.Time);
        });

        Assert.Equal(["started"], seen);
    }

    [Fact]
    public void Steps_of_one_lane_keep_their_order_under_every_seed()
    {
        for (var seed = 0; seed < 20; seed++)
        {
            var scheduler = new SimulationScheduler(order: new ChoiceTape("order", new Random(seed)));
            var seen = new List<int>();
            scheduler.Run(async () =>
            {
                var lane = scheduler.CreateLane("silo");
                for (var next = 0; next < 5; next++)
                {
                    var i = next;
                    lane.Post(() => seen.Add(i));
                }

                await lane.RunAsync(() => Task.CompletedTask);
            });
            Assert.Equal([0, 1, 2, 3, 4], seen.Count == 5 ? seen : []);
        }
    }

    [Fact]
    public void A_part_of_a_lane_halts_with_it()
    {
        var scheduler = new SimulationScheduler();
        var silo = scheduler.CreateLane("silo");
        var grain = silo.CreatePart("grain");
        silo.Halt();

        Assert.True(grain.IsHalted);
        Assert.False(scheduler.Root.IsHalted);
    }

    private static List<int> Interleave(ChoiceTape? order)
    {
        var scheduler = new SimulationScheduler(order: order);
        var seen = new List<int>();
        scheduler.Run(() => Task.WhenAll(
            Enumerable.Range(0, 3).Select(id => scheduler.CreateLane($"worker {id}").RunAsync(() => Worker(id)))));
        return seen;

        async Task Worker(int id)
        {
            for (var i = 0; i < 3; i++)
            {
                await Task.Yield();
                seen.Add(id);
            }
        }
    }
}
