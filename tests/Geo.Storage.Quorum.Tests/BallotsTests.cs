namespace Geo.Storage.Quorum.Tests;

public sealed class BallotsTests
{
    [Fact]
    public void One_that_is_overtaken_on_the_way_again_and_again_gets_ahead()
    {
        const long PerTrip = 1_000;
        var ballots = new Ballots(1, TimeProvider.System);
        var busy = ballots.Next(1).Counter;
        var attempt = 1;
        for (; attempt < 100; attempt++)
        {
            // What arrives was drawn a trip ago, in which the other process has written so much.
            var arrives = ballots.Next(1, attempt);
            busy += PerTrip;
            if (arrives.Counter > busy)
            {
                break;
            }

            ballots.Seen(new Ballot(1, busy, 2));
        }

        Assert.InRange(attempt, 2, 12);
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
