namespace Geo.Messaging.Amqp.Tests;

public sealed class OutboundFramesTests
{
    private readonly OutboundFrames _outbound = new(new AmqpOptions
    {
        Peer = new PeerId("a"),
        Broker = new Uri("amqp://127.0.0.1/"),
        OutboundMessages = 2,
        OutboundBytes = 1024,
        OutboundOwnBytes = 1024,
    });

    [Fact]
    public void Own_messages_that_the_broker_does_not_take_are_bounded_in_bytes()
    {
        var taken = Enumerable.Range(0, 1000).Count(_ => _outbound.TryAdd(Message(EnvelopeKind.Presence, 100)));

        Assert.Equal(10, taken);
        Assert.True(_outbound.TryTake(out _));
        Assert.True(_outbound.TryAdd(Message(EnvelopeKind.CutOff, 100)));
    }

    [Fact]
    public void Frames_and_own_messages_leave_each_other_their_room_and_go_in_order()
    {
        Assert.True(_outbound.TryAdd(Message(EnvelopeKind.Frame, 1024)));
        Assert.False(_outbound.TryAdd(Message(EnvelopeKind.Frame, 1)));
        Assert.True(_outbound.TryAdd(Message(EnvelopeKind.Goodbye, 1024)));
        Assert.Equal(1024, _outbound.Bytes);

        Assert.True(_outbound.TryTake(out var first));
        Assert.Equal(EnvelopeKind.Frame, first.Kind);
        Assert.True(_outbound.TryAdd(Message(EnvelopeKind.Frame, 1)));
        Assert.True(_outbound.TryTake(out var second));
        Assert.Equal(EnvelopeKind.Goodbye, second.Kind);
    }

    [Fact]
    public async Task The_reader_waits_until_something_is_added()
    {
        var stop = TestContext.Current.CancellationToken;
        var waiting = _outbound.WaitAsync(stop);
        Assert.False(waiting.IsCompleted);

        _outbound.TryAdd(Message(EnvelopeKind.Presence, 10));

        await waiting.WaitAsync(stop);
        Assert.True(_outbound.WaitAsync(stop).IsCompleted);
    }

    private static Outgoing Message(EnvelopeKind kind, int bytes) => new(kind, 1, null, new byte[bytes]);
}
