using Geo.Experiments.Soak;
using Geo.Experiments.Soak.Faults;
using Geo.Processes;
using Geo.Testing;

namespace Geo.Experiments.Tests.Soak;

public sealed class FaultBringerTests
{
    private static readonly Fault Kill = new(FaultKind.Kill, 0, TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(10));
    private static readonly Fault Freeze = new(FaultKind.Freeze, 0, TimeSpan.FromSeconds(8), TimeSpan.FromSeconds(3));
    private static readonly Fault Cut = new(FaultKind.Cut, 0, TimeSpan.FromSeconds(20), TimeSpan.FromSeconds(3));
    private readonly SimulationScheduler _scheduler = new();
    private readonly List<string> _events = [];
    private readonly List<string> _said = [];
    private Func<Fault, Task<bool>> _begin = _ => Task.FromResult(true);

    [Fact]
    public void A_fault_of_a_target_that_another_one_has_waits_for_its_end() => _scheduler.Run(async () =>
    {
        var bringer = Bringer();

        await Task.WhenAll(bringer.BringAsync(Kill, CancellationToken.None), bringer.BringAsync(Freeze, CancellationToken.None));

        Assert.Equal(["5 s: Kill", "15 s: Kill ends", "15 s: Freeze", "18 s: Freeze ends"], _events);
        Assert.Equal([Kill, Freeze], bringer.Brought);
    });

    [Fact]
    public void A_fault_that_is_under_way_when_the_run_is_stopped_ends_at_once_and_none_begins() => _scheduler.Run(async () =>
    {
        using var stop = new CancellationTokenSource(TimeSpan.FromSeconds(9), _scheduler.Time);
        var bringer = Bringer();

        var killing = bringer.BringAsync(Kill, stop.Token);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => bringer.BringAsync(Cut, stop.Token));
        await killing;

        Assert.Equal(["5 s: Kill", "9 s: Kill ends"], _events);
    });

    [Fact]
    public void A_fault_with_nothing_to_happen_to_is_left_out_and_told() => _scheduler.Run(async () =>
    {
        _begin = _ => Task.FromResult(false);
        var bringer = Bringer();

        await bringer.BringAsync(Kill, CancellationToken.None);

        Assert.Empty(bringer.Brought);
        Assert.Contains("left out", Assert.Single(_said), StringComparison.Ordinal);
        Assert.Equal(["5 s: Kill", "5 s: Kill ends"], _events);
    });

    [Fact]
    public void A_fault_that_cannot_begin_is_ended_and_its_target_is_free() => _scheduler.Run(async () =>
    {
        _begin = fault => fault == Kill ? throw new ChildFailedException("no signal") : Task.FromResult(true);
        var bringer = Bringer();

        await Assert.ThrowsAsync<ChildFailedException>(() => bringer.BringAsync(Kill, CancellationToken.None));
        await bringer.BringAsync(Freeze, CancellationToken.None);

        Assert.Equal(["5 s: Kill", "5 s: Kill ends", "8 s: Freeze", "11 s: Freeze ends"], _events);
    });

    private FaultBringer Bringer()
    {
        var clock = new SoakClock(_scheduler.Time);
        return new FaultBringer(new Turns(), BeginAsync, EndAsync, clock, _said.Add);

        Task<bool> BeginAsync(Fault fault)
        {
            _events.Add($"{clock.Elapsed.TotalSeconds:0} s: {fault.Kind}");
            return _begin(fault);
        }

        Task EndAsync(Fault fault)
        {
            _events.Add($"{clock.Elapsed.TotalSeconds:0} s: {fault.Kind} ends");
            return Task.CompletedTask;
        }
    }
}
