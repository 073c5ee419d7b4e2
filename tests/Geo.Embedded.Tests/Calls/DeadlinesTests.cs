using Geo.Testing;

namespace Geo.Embedded.Tests;

public sealed class DeadlinesTests
{
    private static readonly TimeSpan Resolution = TimeSpan.FromMilliseconds(100);

    private readonly VirtualTime _time = new();

    [Theory]
    [InlineData(0.05)]
    [InlineData(1)]
    [InlineData(30)]
    [InlineData(300)]
    public void A_deadline_expires_once_and_at_most_two_resolutions_late(double seconds)
    {
        using var deadlines = new Deadlines(_time, Resolution);
        var bell = new Bell(_time);
        deadlines.Add(bell, deadlines.After(TimeSpan.FromSeconds(seconds)));
        _time.Advance(TimeSpan.FromSeconds(seconds) - TimeSpan.FromMilliseconds(1));
        Assert.Empty(bell.Rang);
        _time.Advance(TimeSpan.FromMinutes(10));
        Assert.InRange(Assert.Single(bell.Rang).TotalSeconds, seconds, seconds + (2 * Resolution.TotalSeconds));
    }

    [Fact]
    public void A_deadline_that_is_overdue_when_it_comes_does_not_wait_for_the_wheel_to_come_round()
    {
        using var deadlines = new Deadlines(_time, Resolution);
        var bell = new Bell(_time);
        var dueAt = deadlines.After(TimeSpan.FromMilliseconds(50));
        _time.Advance(TimeSpan.FromSeconds(1));
        deadlines.Add(bell, dueAt);
        _time.Advance(TimeSpan.FromMilliseconds(200));
        Assert.InRange(Assert.Single(bell.Rang).TotalSeconds, 1, 1.2);
    }

    [Fact]
    public void A_removed_deadline_does_not_expire()
    {
        using var deadlines = new Deadlines(_time, Resolution);
        var bells = Enumerable.Range(0, 10).Select(_ => new Bell(_time)).ToArray();
        foreach (var bell in bells)
        {
            deadlines.Add(bell, deadlines.After(TimeSpan.FromSeconds(1)));
        }

        Assert.True(deadlines.Remove(bells[0]));
        Assert.True(deadlines.Remove(bells[4]));
        Assert.True(deadlines.Remove(bells[9]));
        Assert.False(deadlines.Remove(bells[9]));
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal([0, 1, 1, 1, 0, 1, 1, 1, 1, 0], bells.Select(b => b.Rang.Count));
        Assert.False(deadlines.Remove(bells[1]));
    }

    [Fact]
    public void A_shortened_deadline_expires_earlier_and_a_lengthened_one_as_before()
    {
        using var deadlines = new Deadlines(_time, Resolution);
        var (shortened, kept) = (new Bell(_time), new Bell(_time));
        deadlines.Add(shortened, deadlines.After(TimeSpan.FromSeconds(30)));
        deadlines.Add(kept, deadlines.After(TimeSpan.FromSeconds(5)));
        deadlines.Shorten(shortened, deadlines.After(TimeSpan.FromSeconds(2)));
        deadlines.Shorten(kept, deadlines.After(TimeSpan.FromSeconds(9)));
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal((2, 5), (Math.Floor(Assert.Single(shortened.Rang).TotalSeconds), Math.Floor(Assert.Single(kept.Rang).TotalSeconds)));
    }

    [Fact]
    public void A_wheel_on_which_nothing_waits_stands_still_and_turns_again_for_the_next_deadline()
    {
        using var deadlines = new Deadlines(_time, Resolution);
        var (removed, first, second) = (new Bell(_time), new Bell(_time), new Bell(_time));
        Assert.False(_time.AdvanceToNextTimer());
        deadlines.Add(removed, deadlines.After(TimeSpan.FromSeconds(1)));
        deadlines.Add(first, deadlines.After(TimeSpan.FromSeconds(2)));
        deadlines.Remove(removed);
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.Single(first.Rang);
        Assert.False(_time.AdvanceToNextTimer());
        _time.Advance(TimeSpan.FromHours(1));
        deadlines.Add(second, deadlines.After(TimeSpan.FromSeconds(2)));
        _time.Advance(TimeSpan.FromSeconds(3));
        Assert.InRange(Assert.Single(second.Rang).TotalSeconds, 3605, 3605.2);
        Assert.False(_time.AdvanceToNextTimer());
    }

    [Fact]
    public async Task No_deadline_is_forgotten_while_the_wheel_stops_and_is_woken_by_many_threads()
    {
        using var deadlines = new Deadlines(TimeProvider.System, TimeSpan.FromMilliseconds(1));
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            for (var i = 0; i < 200; i++)
            {
                var alarm = new Alarm();
                deadlines.Add(alarm, deadlines.After(TimeSpan.FromMilliseconds(i % 3)));
                await alarm.Rang.Task.WaitAsync(TimeSpan.FromSeconds(30));
            }
        })));
    }

    private sealed class Alarm : Deadline
    {
        public TaskCompletionSource Rang { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public override void Expire() => Rang.SetResult();
    }

    private sealed class Bell(VirtualTime time) : Deadline
    {
        public List<TimeSpan> Rang { get; } = [];

        public override void Expire() => Rang.Add(time.Elapsed);
    }
}
