namespace Geo.Messaging.Tests;

/// <summary>A writer that was woken for the pool lets what has become ready go first, for a while.</summary>
public sealed class WriterSleepTests
{
    private readonly ManualTime _time = new();
    private readonly QueueRoom _waiting = new(new ChannelOptions(), maxAnswerBytes: 4096);
    private readonly WriterSleep _sleep;

    public WriterSleepTests() => _sleep = new WriterSleep(_time);

    [Fact]
    public void It_sends_when_nothing_more_has_come_since_its_last_turn()
    {
        Come(100);
        _sleep.Wake(_waiting);
        Come(100);
        Assert.True(_sleep.LetsOthersGoFirst());
        Come(100);
        Assert.True(_sleep.LetsOthersGoFirst());

        Assert.False(_sleep.LetsOthersGoFirst());
    }

    [Fact]
    public void It_sends_after_a_slice_whatever_comes()
    {
        Come(100);
        _sleep.Wake(_waiting);
        Come(100);
        _time.Advance(Burst.Slice);

        Assert.False(_sleep.LetsOthersGoFirst());
    }

    [Fact]
    public void It_sends_when_a_batch_is_full()
    {
        Come(100);
        _sleep.Wake(_waiting);
        Come(OutboundQueue.BytesToGather);

        Assert.False(_sleep.LetsOthersGoFirst());
    }

    private void Come(int bytes) => Assert.True(_waiting.TryTake(FrameKind.OneWay, bytes));
}
