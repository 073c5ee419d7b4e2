using Geo;
using Geo.Testing;
using TpcwMini.Grains;
using TpcwMini.Options;
using TpcwMini.Robots;

namespace TpcwMini.Tests.Robots;

public sealed class RobotTests
{
    private static readonly TimeSpan Warmup = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan Measured = TimeSpan.FromSeconds(8);
    private readonly SimulationScheduler _scheduler = new();

    [Fact]
    public void A_workflow_has_four_steps_with_100_ms_between_and_starts_every_4_s()
    {
        var run = Run((_, _) => Task.FromResult(StepOutcome.Done));

        Assert.Equal(
            [(StepKind.Create, 0), (StepKind.Add, 100), (StepKind.Buy, 200), (StepKind.Confirm, 300), (StepKind.Create, 4000)],
            run.Cart.Calls.Take(5).Select(call => (call.Step, (int)call.At.TotalMilliseconds)));
        Assert.Equal(12, run.Cart.Calls.Count);
    }

    [Fact]
    public void Warm_up_counts_in_the_books_and_not_in_the_figures()
    {
        var run = Run((_, _) => Task.FromResult(StepOutcome.Done));

        Assert.Equal(3, run.Record.ConfirmedOrders().Count);
        Assert.Equal(3, run.Record.ConfirmedOrders().Select(order => order.Order).Distinct().Count());
        Assert.Equal(2, run.Record.WorkflowsCompleted);
        Assert.Equal(8, run.Record.StepsCompleted);
        Assert.Equal(12, run.Record.StepsEver);
        Assert.Equal([4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0], run.Record.InTimePerSecond);
    }

    [Fact]
    public void A_step_of_one_and_a_half_seconds_is_completed_but_not_in_time()
    {
        var run = Run(async (step, _) =>
        {
            await Task.Delay(TimeSpan.FromSeconds(step == StepKind.Buy ? 1.5 : 0), _scheduler.Time);
            return StepOutcome.Done;
        });

        Assert.Equal(8, run.Record.StepsCompleted);
        Assert.Equal(6, run.Record.StepsInTime);
        Assert.InRange(run.Record.Latencies(StepKind.Buy).PercentileMs(50), 1500, 1550);
    }

    [Fact]
    public void After_a_slow_workflow_the_next_one_starts_at_once()
    {
        var run = Run(async (step, _) =>
        {
            await Task.Delay(TimeSpan.FromSeconds(step == StepKind.Confirm ? 5 : 0), _scheduler.Time);
            return StepOutcome.Done;
        });

        Assert.Equal(
            [0, 5300, 10600], run.Cart.Calls.Where(call => call.Step == StepKind.Create).Select(call => (int)call.At.TotalMilliseconds));
    }

    [Fact]
    public void A_refused_step_aborts_the_workflow_and_the_robot_goes_on()
    {
        var run = Run((step, workflow) => Task.FromResult(step == StepKind.Buy && workflow == 2 ? StepOutcome.SoldOut : StepOutcome.Done));

        Assert.Equal(1, run.Record.WorkflowsAborted);
        Assert.Equal(2, run.Record.ConfirmedOrders().Count);
        Assert.Equal(0, run.Record.Errors);
    }

    [Theory]
    [InlineData(StepOutcome.NoWorkflow)]
    [InlineData(StepOutcome.NoSuchItem)]
    public void A_cart_or_an_item_that_has_vanished_is_an_error_and_no_aborted_workflow(StepOutcome vanished)
    {
        var run = Run((step, workflow) => Task.FromResult(step == StepKind.Buy && workflow == 2 ? vanished : StepOutcome.Done));

        Assert.Equal(1, run.Record.Errors);
        Assert.Contains(vanished.ToString(), Assert.Single(run.Record.ErrorSamples()), StringComparison.Ordinal);
        Assert.Equal(0, run.Record.WorkflowsAborted);
        Assert.Equal(2, run.Record.ConfirmedOrders().Count);
    }

    [Fact]
    public void A_failing_call_is_an_error_even_in_the_warm_up()
    {
        var run = Run((step, workflow) => step == StepKind.Add && workflow == 1
            ? Task.FromException<StepOutcome>(new GeoOutcomeUnknownException("too late"))
            : Task.FromResult(StepOutcome.Done));

        Assert.Equal(1, run.Record.Errors);
        Assert.Contains("too late", Assert.Single(run.Record.ErrorSamples()));
        Assert.Equal(2, run.Record.ConfirmedOrders().Count);
    }

    [Fact]
    public void In_the_killed_region_a_cut_off_call_is_interrupted_and_the_robot_stops()
    {
        var run = Run((_, workflow) => workflow == 2
            ? Task.FromException<StepOutcome>(new InvalidOperationException("gone"))
            : Task.FromResult(StepOutcome.Done), killAt: TimeSpan.FromSeconds(2), killed: "us");

        Assert.Equal((0, 0), (run.Record.Errors, run.Record.Interrupted));
        Assert.Equal(4, run.Cart.Calls.Count);
    }

    [Fact]
    public void In_a_surviving_region_a_call_of_unknown_outcome_is_interrupted_and_the_robot_goes_on()
    {
        var run = Run((_, workflow) => workflow == 2
            ? Task.FromException<StepOutcome>(new GeoOutcomeUnknownException("cut off"))
            : Task.FromResult(StepOutcome.Done), killAt: TimeSpan.FromSeconds(2), killed: "eu");

        Assert.Equal((0, 1), (run.Record.Errors, run.Record.Interrupted));
        Assert.Equal(2, run.Record.ConfirmedOrders().Count);
    }

    [Theory]
    [InlineData(2, false)]
    [InlineData(20, true)]
    public void A_kill_explains_unknown_outcomes_elsewhere_for_a_short_time_and_nothing_else(int secondsLater, bool late)
    {
        _scheduler.Run(async () =>
        {
            var clock = new RunClock(_scheduler.Time, Warmup, Measured);
            var watch = new RegionWatch(clock, Defaults.KillWindow);
            Assert.False(watch.Explains("us", new GeoUnavailableException("not yet"), clock.Now));
            watch.Kill(new KillPlan("eu", 0));
            await Task.Delay(TimeSpan.FromSeconds(secondsLater), _scheduler.Time);

            Assert.Equal(!late, watch.Explains("us", new GeoUnavailableException("cut off"), clock.Now));
            Assert.False(watch.Explains("us", new InvalidOperationException("a bug"), clock.Now));
            Assert.True(watch.Explains("eu", new InvalidOperationException("anything"), clock.Now));
        });
    }

    [Fact]
    public void The_kill_of_a_region_explains_its_carts_of_workflows_that_began_before_it_was_back_and_no_others()
    {
        _scheduler.Run(async () =>
        {
            var clock = new RunClock(_scheduler.Time, Warmup, Measured);
            var watch = new RegionWatch(clock, Defaults.KillWindow);
            var began = clock.Now;
            Assert.False(watch.ExplainsLostCart("eu", began));
            watch.Kill(new KillPlan("eu", 0));
            await Task.Delay(TimeSpan.FromSeconds(1), _scheduler.Time);
            watch.Return();
            await Task.Delay(TimeSpan.FromSeconds(1), _scheduler.Time);

            Assert.True(watch.ExplainsLostCart("eu", began));
            Assert.False(watch.ExplainsLostCart("eu", clock.Now));
            Assert.False(watch.ExplainsLostCart("us", began));
        });
    }

    [Fact]
    public void The_kill_of_one_silo_explains_lost_carts_and_cut_off_calls_for_a_while_and_stops_no_robots()
    {
        _scheduler.Run(async () =>
        {
            var clock = new RunClock(_scheduler.Time, Warmup, Measured);
            var watch = new RegionWatch(clock, Defaults.KillWindow);
            var before = clock.Now;
            Assert.False(watch.ExplainsLostCart("eu", clock.Now));
            watch.Kill(new KillPlan("eu", 0, Silo: 1));

            Assert.False(watch.IsKilled("eu"));
            Assert.True(watch.ExplainsLostCart("eu", clock.Now));
            Assert.True(watch.Explains("eu", new GeoOutcomeUnknownException("cut off"), clock.Now));
            Assert.False(watch.Explains("eu", new InvalidOperationException("a bug"), clock.Now));
            await Task.Delay(Defaults.KillWindow + TimeSpan.FromSeconds(1), _scheduler.Time);

            Assert.False(watch.ExplainsLostCart("eu", clock.Now));
            Assert.False(watch.Explains("eu", new GeoOutcomeUnknownException("late"), clock.Now));
            Assert.True(watch.Explains("eu", new GeoOutcomeUnknownException("under way at the kill"), before));
        });
    }

    [Fact]
    public void A_region_that_is_back_has_cut_off_calls_for_a_while_and_no_excuse_for_others()
    {
        _scheduler.Run(async () =>
        {
            var clock = new RunClock(_scheduler.Time, Warmup, Measured);
            var watch = new RegionWatch(clock, Defaults.KillWindow);
            watch.Kill(new KillPlan("eu", 0, Back: 1));
            var gone = clock.Now;
            await Task.Delay(TimeSpan.FromSeconds(20), _scheduler.Time);
            watch.Return();
            await Task.Delay(TimeSpan.FromSeconds(1), _scheduler.Time);

            Assert.False(watch.IsKilled("eu"));
            Assert.True(watch.Explains("eu", new InvalidOperationException("began while it was gone"), gone));
            Assert.True(watch.Explains("eu", new GeoUnavailableException("not connected yet"), clock.Now));
            Assert.False(watch.Explains("eu", new InvalidOperationException("a bug"), clock.Now));
            await Task.Delay(Defaults.KillWindow, _scheduler.Time);

            Assert.False(watch.Explains("eu", new GeoUnavailableException("late"), clock.Now));
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_cut_explains_cut_off_calls_in_its_region_until_it_has_ended_and_elsewhere_for_a_while(bool stopsOthers)
    {
        _scheduler.Run(async () =>
        {
            var clock = new RunClock(_scheduler.Time, Warmup, Measured);
            var watch = new RegionWatch(clock, Defaults.CutWindow, stopsOthers);
            var cutOff = new GeoUnavailableException("cut off");
            Assert.False(watch.Explains("eu", cutOff, clock.Now));
            watch.BeginCut("eu");
            Assert.Equal((true, false), (watch.IsCut("eu"), watch.IsCut("us")));
            Assert.True(watch.Explains("us", cutOff, clock.Now));
            Assert.True(watch.ExplainsLostCart("eu", clock.Now));
            await Task.Delay(Defaults.CutWindow * 2, _scheduler.Time);

            Assert.Equal(stopsOthers, watch.Explains("us", cutOff, clock.Now));
            Assert.True(watch.Explains("eu", cutOff, clock.Now));
            Assert.False(watch.Explains("eu", new InvalidOperationException("a bug"), clock.Now));
            Assert.False(watch.ExplainsLostCart("us", clock.Now));
            watch.EndCut();
            Assert.False(watch.IsCut("eu"));
            Assert.True(watch.Explains("us", cutOff, clock.Now));
            await Task.Delay(Defaults.CutWindow * 1.5, _scheduler.Time);

            Assert.False(watch.Explains("eu", cutOff, clock.Now));
            Assert.False(watch.Explains("us", cutOff, clock.Now));
            Assert.False(watch.ExplainsLostCart("eu", clock.Now));
        });
    }

    [Fact]
    public void Robots_of_a_killed_region_stop_and_buy_again_when_it_is_back()
    {
        var run = Run((_, _) => Task.FromResult(StepOutcome.Done), TimeSpan.FromSeconds(1), "us", back: TimeSpan.FromSeconds(5));

        Assert.Equal([4, 0, 0, 0, 0, 0], run.Record.InTimePerSecond.Take(6));
        Assert.True(run.Record.InTimePerSecond.Skip(6).Sum() >= 4);
    }

    private (ScriptedCart Cart, RegionRecord Record) Run(
        Func<StepKind, int, Task<StepOutcome>> script, TimeSpan? killAt = null, string killed = "",
        TimeSpan? back = null)
    {
        return _scheduler.Run(async () =>
        {
            var clock = new RunClock(_scheduler.Time, Warmup, Measured);
            var watch = new RegionWatch(clock, Defaults.KillWindow);
            var record = new RegionRecord("us", clock);
            var cart = new ScriptedCart(_scheduler.Time, script);
            var closed = 0;
            using var stop = new CancellationTokenSource(clock.Whole - TimeSpan.FromMilliseconds(1), _scheduler.Time);
            var robot = new Robot("us-0", "test", () => new OpenOrder(cart, () => closed++), 10, new Random(1), clock, watch, record);
            var running = robot.RunAsync(TimeSpan.Zero, stop.Token);
            if (killAt is { } at)
            {
                await clock.UntilAsync(at, CancellationToken.None);
                watch.Kill(new KillPlan(killed, at.TotalSeconds));
            }

            if (back is { } returning)
            {
                await clock.UntilAsync(returning, CancellationToken.None);
                watch.Return();
            }

            await running;

            // Each order is closed once, however it ended.
            Assert.Equal(cart.Calls.Count(call => call.Step == StepKind.Create), closed);
            return (cart, record);
        });
    }
}
