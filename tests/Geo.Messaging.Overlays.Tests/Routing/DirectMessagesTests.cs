using System.Text;

namespace Geo.Messaging.Overlays.Tests;

public sealed class DirectMessagesTests
{
    private static readonly RouterOptions Options = new() { HeldMessages = 3 };
    private static readonly PeerId Sender = new("sender");
    private static readonly PeerId Receiver = new("receiver");

    private readonly List<(byte[] Frame, bool Floods)> _toReceiver = [];
    private readonly List<byte[]> _toSender = [];
    private readonly List<string> _delivered = [];
    private readonly DirectMessages _sender;
    private readonly DirectMessages _receiver;

    public DirectMessagesTests()
    {
        _sender = new DirectMessages(Options, (_, frame, floods) => _toReceiver.Add((frame.ToArray(), floods)), (_, _, _) => { });
        _receiver = new DirectMessages(
            Options, (_, frame, _) => _toSender.Add(frame.ToArray()),
            (_, payload, _) => _delivered.Add(Encoding.UTF8.GetString(payload.Span)));
    }

    [Fact]
    public void A_message_that_came_before_an_earlier_one_waits_for_it()
    {
        Send("1", "2", "3");
        Arrive(2, 1);
        Assert.Empty(_delivered);

        Arrive(0);
        Assert.Equal(["1", "2", "3"], _delivered);
    }

    [Fact]
    public void A_message_that_comes_again_is_delivered_once_and_counted()
    {
        Send("1");
        Arrive(0, 0);

        Assert.Equal(["1"], _delivered);
        Assert.Equal(1, _receiver.Counts.Overtaken);
    }

    [Fact]
    public void What_is_not_acknowledged_is_sent_again_the_first_over_every_link_and_the_others_once_that_was_heard_of()
    {
        Send("1", "2", "3");
        _toReceiver.Clear();
        _sender.Tick(TimeSpan.FromSeconds(1));
        Assert.True(Assert.Single(_toReceiver).Floods);

        Arrive(0);
        Acknowledge(TimeSpan.FromSeconds(1));
        Assert.Equal([true, false, false], _toReceiver.Select(sent => sent.Floods));

        Arrive(1, 2);
        Acknowledge(TimeSpan.FromSeconds(1));
        Assert.Equal(["1", "2", "3"], _delivered);
        Assert.True(_sender.Unacknowledged.IsEmpty);
        Assert.Equal(3, _sender.Counts.SentAgain);
        Assert.Equal(0, _sender.Counts.Undeliverable);
    }

    [Fact]
    public void A_message_is_tried_less_and_less_often_and_then_given_up_and_counted()
    {
        Send("1");
        for (var second = 1; second <= 60; second++)
        {
            _sender.Tick(TimeSpan.FromSeconds(second));
        }

        Assert.Equal(3, _sender.Counts.SentAgain);
        Assert.Equal(1, _sender.Counts.Undeliverable);
        Assert.True(_sender.Unacknowledged.IsEmpty);
    }

    [Fact]
    public void Those_after_a_message_that_was_given_up_are_delivered_and_it_never_is_after_them()
    {
        Send("lost");
        Send(TimeSpan.FromSeconds(9), "next");
        Arrive(1);
        Assert.Empty(_delivered);

        _sender.Tick(TimeSpan.FromSeconds(10));
        Arrive(2);
        Assert.Equal(["next"], _delivered);

        Arrive(0);
        Assert.Equal(["next"], _delivered);
    }

    [Fact]
    public void What_waits_for_an_earlier_message_is_bounded_in_number_and_time()
    {
        Send("1", "2", "3");
        _sender.StartOver();
        Send("4", "5", "6");
        Arrive(1, 2, 4, 5);
        Assert.Equal(1, _receiver.Counts.TooEarly);

        _receiver.Tick(Options.DeliveryTimeout);
        Assert.Equal(4, _receiver.Counts.TooEarly);
        Assert.Empty(_delivered);
    }

    [Fact]
    public void A_message_of_a_former_incarnation_of_its_sender_is_dropped()
    {
        Send("old", "new");
        Arrive(1, incarnation: 2);
        Arrive(0);

        Assert.Empty(_delivered);
        Assert.Equal(1, _receiver.Counts.Overtaken);
    }

    [Fact]
    public void A_peer_that_does_not_answer_leaves_room_for_messages_to_others()
    {
        var held = new HeldMessages(new RouterOptions { HeldMessages = 3, HeldMessagesPerPeer = 2 });

        Assert.True(held.TryAdd(Receiver, 1));
        Assert.True(held.TryAdd(Receiver, 1));
        Assert.False(held.TryAdd(Receiver, 1));
        Assert.True(held.TryAdd(Sender, 1));
        Assert.False(held.TryAdd(Sender, 1));

        held.Remove(Receiver, 1);
        Assert.True(held.TryAdd(Sender, 1));
    }

    private void Send(params string[] texts) => Send(TimeSpan.Zero, texts);

    private void Send(TimeSpan now, params string[] texts)
    {
        foreach (var text in texts)
        {
            Assert.True(_sender.Unacknowledged.TryAdd(Receiver, text.Length));
            _sender.Send(Receiver, Encoding.UTF8.GetBytes(text), now);
        }
    }

    private void Arrive(params int[] sent) => Array.ForEach(sent, frame => Arrive(frame, incarnation: 1));

    private void Arrive(int sent, long incarnation) =>
        _receiver.Receive(Sender, incarnation, 1, _toReceiver[sent].Frame, 1, TimeSpan.Zero);

    private void Acknowledge(TimeSpan now)
    {
        _receiver.Tick(TimeSpan.Zero);
        foreach (var frame in _toSender)
        {
            _sender.Receive(Receiver, 1, 1, frame, 1, now);
        }

        _toSender.Clear();
    }
}
