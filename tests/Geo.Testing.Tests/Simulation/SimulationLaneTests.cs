namespace Geo.Testing.Tests;

public class SimulationLaneTests
{
    private readonly SimulationScheduler _scheduler = new();
    private readonly SimulationLane _silo;
    private readonly List<string> _seen = [];

    public SimulationLaneTests() => _silo = _scheduler.CreateLane("silo");

    [Fact]
    public void A_timer_that_a_hosts_own_scheduler_sets_belongs_to_the_lane_whose_step_runs_and_dies_with_it()
    {
        var own = new ConcurrentExclusiveSchedulerPair(_silo).ExclusiveScheduler;
        _scheduler.Run(async () =>
        {
            await _silo.RunAsync(() => Task.Factory.StartNew(
                () => _scheduler.Time.CreateTimer(_ => _seen.Add("fired"), null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1)),
                CancellationToken.None, TaskCreationOptions.None, own));
            await Task.Delay(TimeSpan.FromSeconds(1.5), _scheduler.Time);
            _silo.Halt();
            await Task.Delay(TimeSpan.FromSeconds(5), _scheduler.Time);
        });
        Assert.Equal(["fired"], _seen);
    }

    [Fact]
    public void A_frozen_lane_stands_still_and_goes_on_where_it_stood()
    {
        _scheduler.Run(async () =>
        {
            var work = _silo.RunAsync(async () =>
            {
                for (var i = 0; i < 3; i++)
                {
                    await Task.Delay(TimeSpan.FromSeconds(1), _scheduler.Time);
                    _seen.Add($"{i}@{_scheduler.Time.Elapsed.TotalSeconds}");
                }
            });
            await Task.Delay(TimeSpan.FromSeconds(1.5), _scheduler.Time);
            _silo.Freeze();
            _silo.CreatePart("grain").Post(() => _seen.Add("posted"));
            await Task.Delay(TimeSpan.FromSeconds(10), _scheduler.Time);
            Assert.Equal(["0@1"], _seen);
            _silo.Thaw();
            await work;
        });
        Assert.Equal(["0@1", "posted", "1@11.5", "2@12.5"], _seen);
    }

    [Fact]
    public void A_frozen_lane_that_is_halted_runs_nothing_more()
    {
        _scheduler.Run(async () =>
        {
            _silo.Freeze();
            _silo.Post(() => _seen.Add("ran"));
            await Task.Delay(TimeSpan.FromSeconds(1), _scheduler.Time);
            _silo.Halt();
            _silo.Thaw();
            await Task.Delay(TimeSpan.FromSeconds(1), _scheduler.Time);
        });
        Assert.Empty(_seen);
    }
}
