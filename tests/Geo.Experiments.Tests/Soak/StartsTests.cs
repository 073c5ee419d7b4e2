using Geo.Experiments.Soak;
using Geo.Processes;
using Geo.Testing;

namespace Geo.Experiments.Tests.Soak;

public sealed class StartsTests
{
    private static readonly TimeSpan Within = TimeSpan.FromSeconds(60);
    private readonly SimulationScheduler _scheduler = new();
    private readonly List<string> _failed = [];
    private int _tries;

    [Fact]
    public void A_start_that_fails_is_told_and_tried_again_until_one_succeeds() => _scheduler.Run(async () =>
    {
        await Starts().StartAsync("eu", _ => TryAsync(failures: 3), CancellationToken.None);

        Assert.Equal(4, _tries);
        Assert.Equal(["start 1 failed", "start 2 failed", "start 3 failed"], _failed);
        Assert.Equal(TimeSpan.FromMilliseconds(250 + 500 + 1000), _scheduler.Time.Elapsed);
    });

    [Fact]
    public void A_process_that_never_starts_is_given_up_in_time_and_is_tried_until_then() => _scheduler.Run(async () =>
    {
        var error = await Assert.ThrowsAsync<ChildFailedException>(
            () => Starts().StartAsync("eu", _ => TryAsync(failures: int.MaxValue), CancellationToken.None));

        Assert.Equal(Within, _scheduler.Time.Elapsed);
        Assert.InRange(_tries, (int)(Within / TimeSpan.FromSeconds(5)), 20);
        Assert.Contains($"within 60 s; {_tries} starts failed, the last: start {_tries} failed", error.Message, StringComparison.Ordinal);
    });

    [Fact]
    public void A_start_that_does_not_end_is_given_up_in_time() => _scheduler.Run(async () =>
    {
        await Assert.ThrowsAsync<ChildFailedException>(() => Starts().StartAsync(
            "eu", end => Task.Delay(Timeout.InfiniteTimeSpan, _scheduler.Time, end), CancellationToken.None));

        Assert.Equal(Within, _scheduler.Time.Elapsed);
        Assert.Empty(_failed);
    });

    [Fact]
    public void Whoever_stops_it_gets_no_failure() => _scheduler.Run(async () =>
    {
        using var stop = new CancellationTokenSource(TimeSpan.FromSeconds(10), _scheduler.Time);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Starts().StartAsync("eu", _ => TryAsync(failures: int.MaxValue), stop.Token));

        Assert.Equal(TimeSpan.FromSeconds(10), _scheduler.Time.Elapsed);
    });

    private Starts Starts() => new(Within, _scheduler.Time, _failed.Add);

    private Task TryAsync(int failures) =>
        ++_tries <= failures ? Task.FromException(new ChildFailedException($"start {_tries} failed")) : Task.CompletedTask;
}
