namespace Geo.Storage.Quorum.Tests;

public sealed class BallotsTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(-5)]
    public void One_that_is_overtaken_on_the_way_again_and_again_gets_ahead(int secondsBehind)
    {
        var trip = TimeSpan.FromMilliseconds(220);
        var (far, near) = (new Clock(), new Clock());
        far.Now += TimeSpan.FromSeconds(secondsBehind);
        var (ballots, busy) = (new Ballots(1, far), new Ballots(2, near));
        var attempt = 1;
        for (; attempt < 100; attempt++)
        {
            // What arrives was drawn half a trip ago, and the other process has written meanwhile.
            var arrives = ballots.Next(1, attempt, trip);
            (far.Now, near.Now) = (far.Now + (trip / 2), near.Now + (trip / 2));
            var promised = busy.Next(1);
            if (arrives > promised)
            {
                break;
            }

            ballots.Seen(promised);
            (far.Now, near.Now) = (far.Now + trip, near.Now + trip);
        }

        Assert.InRange(attempt, 2, 8);
    }

    [Fact]
    public void One_is_above_all_that_others_used_some_time_before_it()
    {
        var clock = new Clock();
        var (busy, idle) = (new Ballots(1, clock), new Ballots(2, clock));
        var used = Enumerable.Range(0, 1_000).Select(_ => busy.Next(1)).Last();
        clock.Now += TimeSpan.FromMilliseconds(10);
        Assert.True(idle.Next(1) > used);
    }

    private sealed class Clock : TimeProvider
    {
        public DateTimeOffset Now { get; set; } = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
