using System.Collections.Concurrent;

namespace Geo.Testing.Tests;

public class VirtualTimeTests
{
    private readonly VirtualTime _time = new();

    [Fact]
    public void Timers_fire_in_the_order_they_are_due_then_in_the_order_they_were_set()
    {
        var fired = new List<string>();
        using var late = Timer("late", 20, fired);
        using var first = Timer("first", 10, fired);
        using var second = Timer("second", 10, fired);

        _time.Advance(TimeSpan.FromMilliseconds(30));

        Assert.Equal(["first@10", "second@10", "late@20"], fired);
        Assert.Equal(30, _time.Elapsed.TotalMilliseconds);
    }

    [Fact]
    public async Task A_timer_that_is_disposed_of_while_it_fires_is_called_with_what_belongs_to_it_or_not_at_all()
    {
        const int count = 100_000;
        object state = new();
        var wrong = 0;
        var timers = new ConcurrentQueue<ITimer>();
        var disposing = Task.Run(DisposeAll, TestContext.Current.CancellationToken);
        for (var i = 0; i < count; i++)
        {
            timers.Enqueue(_time.CreateTimer(
                s => wrong += s == state ? 0 : 1, state, TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan));
            _time.Advance(TimeSpan.FromMilliseconds(1));
        }

        await disposing;
        Assert.Equal(0, wrong);

        void DisposeAll()
        {
            for (var left = count; left > 0;)
            {
                if (timers.TryDequeue(out var timer))
                {
                    timer.Dispose();
                    left--;
                }
            }
        }
    }

    [Fact]
    public void A_periodic_timer_fires_each_period_until_it_is_disposed()
    {
        var fired = 0;
        var timer = _time.CreateTimer(_ => fired++, null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2));

        _time.Advance(TimeSpan.FromSeconds(6));
        Assert.Equal(3, fired);

        timer.Dispose();
        _time.Advance(TimeSpan.FromSeconds(6));
        Assert.Equal(3, fired);
    }

    [Fact]
    public void A_timer_set_anew_fires_at_the_new_time_alone()
    {
        var fired = new List<string>();
        using var timer = Timer("moved", 10, fired);
        timer.Change(TimeSpan.FromMilliseconds(25), Timeout.InfiniteTimeSpan);

        _time.Advance(TimeSpan.FromMilliseconds(100));

        Assert.Equal(["moved@25"], fired);
    }

    [Fact]
    public void Delays_and_cancellation_follow_the_virtual_clock()
    {
        var delay = Task.Delay(TimeSpan.FromSeconds(5), _time, TestContext.Current.CancellationToken);
        using var source = new CancellationTokenSource(TimeSpan.FromSeconds(3), _time);

        Assert.True(_time.AdvanceToNextTimer());
        Assert.True(source.IsCancellationRequested);
        Assert.False(delay.IsCompleted);

        Assert.True(_time.AdvanceToNextTimer());
        Assert.True(delay.IsCompletedSuccessfully);
        Assert.False(_time.AdvanceToNextTimer());
        Assert.Equal(TimeSpan.FromSeconds(5), _time.Elapsed);
    }

    private ITimer Timer(string name, int milliseconds, List<string> fired) =>
        _time.CreateTimer(
            _ => fired.Add($"{name}@{_time.Elapsed.TotalMilliseconds}"),
            null, TimeSpan.FromMilliseconds(milliseconds), Timeout.InfiniteTimeSpan);
}
