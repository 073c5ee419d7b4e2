using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>Both halves of the striping protocol against each other, without a network: the test decides what arrives when.</summary>
public sealed class LargeMessageTests
{
    private const int MaxMessage = 4 * 1024 * 1024;
    private const int MaxOpen = 8 * 1024 * 1024;

    private readonly OutboundQueue _queue = new(new ChannelOptions(), 4096, TimeProvider.System, (_, _) => { });
    private readonly LinkBudget _budget = new(64 * 1024 * 1024, 64 * 1024 * 1024, TimeProvider.System);
    private readonly LargeOutbox _outbound;
    private readonly NodeBudget _memory = new(long.MaxValue);
    private readonly PieceSink _sink;
    private readonly LargeInbox _inbox;
    private readonly List<string> _handled = [];
    private int _givenUp;

    public LargeMessageTests()
    {
        _outbound = NewOutbound(new ChannelOptions { QueueBytes = 64 * 1024 * 1024 });
        _sink = new PieceSink((header, preface, payload) => Handle(header, preface, payload));
        _inbox = new LargeInbox(MaxMessage, MaxOpen, _memory.NewShare(new object()), _sink);
    }

    [Theory]
    [InlineData(65_520)]
    [InlineData(262_144)]
    [InlineData(262_145)]
    [InlineData(3_000_000)]
    public void A_message_is_gathered_from_pieces_that_come_in_any_order(int size)
    {
        Send("a", size, key: 1);

        var pieces = TakeAll();
        Assert.Equal(PieceHeader.UnitsOf(size), pieces.Count);
        Shuffle(pieces, seed: size);
        Assert.All(pieces, Arrive);
        Assert.Empty(_handled);
        ArriveQueue();

        Assert.Equal([$"a{size}"], _handled);
        Assert.Contains((FrameKind.Arrived, 1UL), _sink.Told);
        Assert.Contains((FrameKind.Received, (ulong)size), _sink.Told);
        Assert.Equal(0, _inbox.OpenBytes);
        Assert.Equal(0, _outbound.Bytes);
    }

    [Fact]
    public void What_follows_a_large_message_with_its_key_is_held_back_and_other_keys_are_not()
    {
        Send("first", 300_000, key: 1);
        Send("second", 10, key: 1);
        Send("third", 200_000, key: 1);
        Send("fourth", 20, key: 1);
        Send("other", 30, key: 2);
        ArriveQueue();
        Assert.Equal(["other30"], _handled);

        // The third is whole before the first.
        var pieces = TakeAll();
        pieces.Where(piece => piece.Message.Number == 2).ToList().ForEach(Arrive);
        Assert.Equal(["other30"], _handled);
        pieces.Where(piece => piece.Message.Number == 1).ToList().ForEach(Arrive);

        Assert.Equal(["other30", "first300000", "second10", "third200000", "fourth20"], _handled);
        Assert.Equal(0, _inbox.OpenBytes);
    }

    [Fact]
    public void What_has_arrived_holds_nothing_back_any_more()
    {
        Send("large", 300_000, key: 1);
        ArriveQueue();
        TakeAll().ForEach(Arrive);
        Assert.True(_outbound.IsBusy);
        Acknowledge();
        Assert.False(_outbound.IsBusy);

        Send("small", 10, key: 1);
        ArriveQueue();

        Assert.Equal(["large300000", "small10"], _handled);
    }

    [Fact]
    public void A_message_has_not_arrived_while_something_waits_for_it_so_that_nothing_of_its_key_passes_that()
    {
        var toldWhenHandled = new List<bool>();
        var sink = new PieceSink();
        sink = new PieceSink((_, _, _) => toldWhenHandled.Add(sink.Told.Contains((FrameKind.Arrived, 1UL))));
        var inbox = new LargeInbox(MaxMessage, MaxOpen, _memory.NewShare(new object()), sink);
        Send("large", 66_000, key: 1);
        Send("small", 10, key: 1);
        Send("small", 20, key: 1);

        // Its handler begins within the hand-over, as fast as one can.
        ArriveQueue(inbox);
        Arrive(Assert.Single(TakeAll()), inbox);

        Assert.Equal([false, false, false], toldWhenHandled);
        Assert.Contains((FrameKind.Arrived, 1UL), sink.Told);
        Assert.Equal(0, inbox.OpenBytes);
    }

    [Fact]
    public void More_is_not_begun_than_the_remote_gathers_and_nothing_is_lost_or_reordered()
    {
        for (var i = 0; i < 40; i++)
        {
            Send($"{i}.", 900_000 + i, key: i % 3);
            Send($"{i}:", 10, key: i % 3);
        }

        for (var rounds = 0; _handled.Count < 80; rounds++)
        {
            Assert.InRange(rounds, 0, 100);
            ArriveQueue();
            TakeAll().ForEach(Arrive);
            Assert.InRange(_inbox.OpenBytes, 0, MaxOpen);
            Acknowledge();
        }

        for (var key = 0; key < 3; key++)
        {
            var expected = Enumerable.Range(0, 40).Where(i => i % 3 == key).SelectMany(i => new[] { $"{i}.{900_000 + i}", $"{i}:10" });
            Assert.Equal(expected, _handled.Where(name => int.Parse(name[..name.IndexOfAny(['.', ':'])], null) % 3 == key));
        }
    }

    [Fact]
    public void Random_inbox_never_reorder_a_key()
    {
        for (var seed = 0; seed < 200; seed++)
        {
            var random = new Random(seed);
            var test = new LargeMessageTests();
            var expected = new Dictionary<int, List<string>>();
            List<(OutgoingMessage Message, PieceHeader Piece)> pieces = [];
            for (var i = 0; i < 60; i++)
            {
                var (key, size) = (random.Next(3), random.Next(3) == 0 ? random.Next(66_000, 700_000) : random.Next(1, 500));
                test.Send($"{key}/{i}/", size, key);
                (expected.TryGetValue(key, out var all) ? all : expected[key] = []).Add($"{key}/{i}/{size}");
                pieces.AddRange(test.TakeAll());
                Shuffle(pieces, seed + i);
                var arriving = random.Next(pieces.Count + 1);
                pieces[..arriving].ForEach(test.Arrive);
                pieces.RemoveRange(0, arriving);
                if (random.Next(2) == 0)
                {
                    test.ArriveQueue();
                }

                if (random.Next(4) == 0)
                {
                    test.Acknowledge();
                }
            }

            for (var rounds = 0; rounds < 20; rounds++)
            {
                test.ArriveQueue();
                pieces.ForEach(test.Arrive);
                test.Acknowledge();
                pieces = test.TakeAll();
            }

            foreach (var (key, names) in expected)
            {
                Assert.Equal(names, test._handled.Where(name => name.StartsWith($"{key}/", StringComparison.Ordinal)));
            }
        }
    }

    [Fact]
    public void A_full_channel_refuses_more_and_has_room_when_a_message_has_left()
    {
        var outbound = NewOutbound(new ChannelOptions { QueueBytes = 1_000_000 });
        Assert.Equal(SendOutcome.Queued, Append(outbound, 900_000));
        Assert.Equal(SendOutcome.Full, Append(outbound, 200_000));
        var room = outbound.WhenRoomAsync();

        while (outbound.TryTake(() => { }, out var message, out var piece))
        {
            Assert.False(room.IsCompleted);
            outbound.NoteSent(message, piece);
        }

        Assert.True(room.IsCompleted);
        Assert.Equal(SendOutcome.Queued, Append(outbound, 200_000));
        outbound.Close();
        Assert.Equal(SendOutcome.NotConnected, Append(outbound, 200_000));
    }

    [Fact]
    public void What_follows_a_large_message_is_bounded_although_that_has_been_sent()
    {
        const int Key = 900_000;
        var outbound = NewOutbound(new ChannelOptions { QueueBytes = 1_000_000 });
        Append(outbound, Key);
        while (outbound.TryTake(() => { }, out var message, out var piece))
        {
            outbound.NoteSent(message, piece);
        }

        var followers = Enumerable.Range(0, 1000).Count(number => outbound.TryAppend(
            FrameKind.OneWay, (ulong)number, "s", new byte[10_000], PartitionKey.From(Key), null, out _) == SendOutcome.Queued);

        Assert.InRange(followers, 90, 100);
    }

    [Fact]
    public void Large_replies_take_no_more_than_their_peer_may_and_give_it_back_when_they_are_sent_or_lost()
    {
        var budget = new NodeBudget(1_000_000);
        var outbound = new LargeOutbox(new ChannelOptions(), _queue, MaxOpen, _budget, () => { }, budget.NewShare(new object()));
        _budget.Add(outbound);
        Assert.Equal(SendOutcome.Queued, Reply(1));
        Assert.Equal(SendOutcome.Full, Reply(2));
        while (outbound.TryTake(() => { }, out var message, out var piece))
        {
            outbound.NoteSent(message, piece);
        }

        Assert.Equal(0, budget.Held);
        Assert.Equal(SendOutcome.Queued, Reply(3));
        outbound.Close();
        Assert.Equal(0, budget.Held);

        SendOutcome Reply(ulong number) => outbound.TryAppend(FrameKind.Reply, number, "", new byte[400_000], default, null, out _);
    }

    [Fact]
    public void A_request_counts_as_sent_once_a_piece_of_it_was_taken()
    {
        _outbound.TryAppend(FrameKind.Request, 1, "s", new byte[300_000], PartitionKey.From(1), null, out var first);
        _outbound.TryAppend(FrameKind.Request, 2, "s", new byte[400_000], PartitionKey.From(2), null, out var second);
        Assert.False(_outbound.WasTaken(first) || _outbound.WasTaken(second));

        Assert.True(_outbound.TryTake(() => { }, out _, out _));

        Assert.True(_outbound.WasTaken(first));
        Assert.False(_outbound.WasTaken(second));
        Assert.Equal(2, _outbound.Close());
    }

    [Fact]
    public void A_request_is_sent_from_where_it_lies()
    {
        var payload = Payload(3_000_000);
        var loan = Lend(payload, key: 1);

        ArriveQueue();
        TakeAll().ForEach(Arrive);
        loan.EndLoan();
        Acknowledge();

        Assert.Equal(["lent3000000"], _handled);
        Assert.Equal(0, _outbound.Bytes);
    }

    [Fact]
    public void What_is_left_to_send_of_a_request_that_was_given_up_stays_as_it_was()
    {
        var payload = Payload(3_000_000);
        var loan = Lend(payload, key: 1);
        ArriveQueue();
        Assert.True(_outbound.TryTake(() => { }, out var message, out var first));
        Assert.True(_outbound.TryTake(() => { }, out _, out var second));
        Arrive((message, second));

        // The first piece is taken and not yet copied.
        loan.EndLoan();
        payload.AsSpan().Clear();
        Arrive((message, first));
        TakeAll().ForEach(Arrive);

        Assert.Equal(["lent3000000"], _handled);
    }

    [Fact]
    public void A_request_that_was_given_up_before_any_of_it_was_sent_never_is_and_holds_nothing_up()
    {
        for (var i = 0; i < 3; i++)
        {
            Send($"{i}:", MaxMessage, key: 1);
        }

        var payload = Payload(MaxMessage);
        var loan = Lend(payload, key: 1);
        Send("after", MaxMessage, key: 1);
        var room = _outbound.WhenRoomAsync();

        loan.EndLoan();

        payload.AsSpan().Clear();
        Assert.True(room.IsCompleted);
        Assert.Equal(1, _givenUp);
        for (var rounds = 0; rounds < 5; rounds++)
        {
            ArriveQueue();
            TakeAll().ForEach(Arrive);
            Acknowledge();
        }

        Assert.Equal([$"0:{MaxMessage}", $"1:{MaxMessage}", $"2:{MaxMessage}", $"after{MaxMessage}"], _handled);
        Assert.Equal(0, _outbound.Bytes);
        Assert.False(_outbound.IsBusy);
    }

    [Fact]
    public void What_was_lent_is_not_read_any_more_once_the_channel_has_ended()
    {
        var loan = Lend(Payload(3_000_000), key: 1);
        Assert.True(_outbound.TryTake(() => { }, out _, out var piece));

        Assert.Equal(1, _outbound.Close());
        loan.EndLoan();

        Assert.False(loan.TryCopy(piece, new byte[PieceHeader.UnitBytes]));
        Assert.Equal(0, _givenUp);
    }

    [Fact]
    public void A_message_that_has_arrived_before_its_sender_learns_that_it_is_sent_leaves_nothing_behind()
    {
        Append(_outbound, 300_000);
        var pieces = new List<(OutgoingMessage Message, PieceHeader Piece)>();
        while (_outbound.TryTake(null, out var message, out var piece))
        {
            pieces.Add((message, piece));
        }

        _outbound.NoteArrived(1);
        Assert.True(_outbound.IsBusy);
        pieces.ForEach(sent => _outbound.NoteSent(sent.Message, sent.Piece));

        Assert.Equal(0, _outbound.Bytes);
        Assert.False(_outbound.IsBusy);
    }

    [Fact]
    public void No_more_than_the_budget_is_on_the_way_and_what_arrives_wakes_the_lanes()
    {
        var budget = new LinkBudget(2 * PieceHeader.UnitBytes, 2 * PieceHeader.UnitBytes, TimeProvider.System);
        var outbound = new LargeOutbox(new ChannelOptions(), _queue, MaxOpen, budget, () => { });
        budget.Add(outbound);
        Append(outbound, MaxMessage);
        var woken = 0;

        Assert.True(outbound.TryTake(() => woken++, out _, out _));
        Assert.True(outbound.TryTake(() => woken++, out _, out _));
        Assert.False(outbound.TryTake(() => woken++, out _, out _));
        Assert.Equal((0, 2L * PieceHeader.UnitBytes), (woken, budget.InFlight));

        budget.Return(PieceHeader.UnitBytes);
        Assert.Equal(1, woken);
        Assert.True(outbound.TryTake(() => woken++, out _, out _));
    }

    [Theory]
    [InlineData(0.1, 4)]
    [InlineData(1, 1)]
    [InlineData(145, 1)]
    public void On_a_short_path_pieces_have_several_units_where_nothing_waits_behind_them(double roundTrip, int units)
    {
        var budget = new LinkBudget(long.MaxValue / 2, long.MaxValue, TimeProvider.System);
        budget.NoteProbe(TimeSpan.FromMilliseconds(roundTrip));
        var outbound = new LargeOutbox(new ChannelOptions(), _queue, MaxOpen, budget, () => { });
        Append(outbound, 6 * PieceHeader.UnitBytes);

        Assert.True(outbound.TryTake(null, out var message, out var first));
        Assert.True(outbound.TryTake(null, out _, out var second, PieceHeader.MostUnits));

        Assert.Equal((0, PieceHeader.UnitBytes), (first.Offset, first.Length));
        Assert.Equal((PieceHeader.UnitBytes, units * PieceHeader.UnitBytes), (second.Offset, second.Length));
        Assert.Equal((1 + units) * PieceHeader.UnitBytes, message.Taken);
    }

    /// <summary>Else who waits for room would look again and again, while the remote is told why the lane ends.</summary>
    [Fact]
    public void Nothing_is_taken_for_a_lane_that_lets_nothing_out()
    {
        var outbound = NewOutbound(new ChannelOptions { QueueBytes = 400_000 });
        Append(outbound, 300_000);

        _queue.Close();

        Assert.Equal(
            SendOutcome.NotConnected,
            outbound.TryAppend(FrameKind.OneWay, 0, "large", new byte[300_000], PartitionKey.From(1), null, out _));
        Assert.True(_queue.WhenRoomAsync().IsCompleted);
    }

    [Fact]
    public void Longer_pieces_keep_to_the_budget()
    {
        var budget = new LinkBudget(3 * PieceHeader.UnitBytes, 3 * PieceHeader.UnitBytes, TimeProvider.System);
        budget.NoteProbe(TimeSpan.FromMilliseconds(0.1));
        var outbound = new LargeOutbox(new ChannelOptions(), _queue, MaxOpen, budget, () => { });
        Append(outbound, 8 * PieceHeader.UnitBytes);

        Assert.True(outbound.TryTake(null, out _, out var first, PieceHeader.MostUnits));
        Assert.False(outbound.TryTake(null, out _, out _, PieceHeader.MostUnits));
        budget.Return(PieceHeader.UnitBytes);
        Assert.True(outbound.TryTake(null, out _, out var second, PieceHeader.MostUnits));

        Assert.Equal((3 * PieceHeader.UnitBytes, PieceHeader.UnitBytes), (first.Length, second.Length));
    }

    [Fact]
    public void A_message_is_gathered_from_pieces_of_different_lengths_of_which_each_unit_comes_once()
    {
        const int Total = (6 * PieceHeader.UnitBytes) + 1;
        Send("large", Total, key: 1);
        var message = TakeAll()[0].Message;
        ArriveQueue();
        foreach (var (at, units) in ((int, int)[])[(5, 2), (0, 1), (1, 4)])
        {
            var piece = new PieceHeader(at * PieceHeader.UnitBytes, Total, units);
            Assert.Null(_inbox.Begin(1, piece, out var into));
            Assert.True(message.TryCopy(piece, into.Span));
            Assert.Equal(piece.Length, into.Length);
            Assert.Contains("come already", _inbox.Begin(1, piece with { Units = 1 }, out _), StringComparison.Ordinal);
            Assert.Empty(_handled);
            _inbox.End(1, piece);
        }

        Assert.Equal([$"large{Total}"], _handled);
        Send("next", Total, key: 1);
        ArriveQueue();
        Assert.Null(_inbox.Begin(2, new PieceHeader(3 * PieceHeader.UnitBytes, Total), out _));
        Assert.Contains("come already", _inbox.Begin(2, new PieceHeader(0, Total, 4), out _), StringComparison.Ordinal);
    }

    [Fact]
    public void A_piece_is_acknowledged_when_no_other_arrives_so_that_channels_that_share_a_small_budget_do_not_wait_for_each_other()
    {
        Send("large", 3 * PieceHeader.UnitBytes, key: 1);

        Arrive(TakeAll()[0]);

        Assert.Equal([(FrameKind.Received, (ulong)PieceHeader.UnitBytes)], _sink.Told);
    }

    [Fact]
    public void What_arrives_on_several_lanes_is_acknowledged_together_and_before_much_is_owed()
    {
        Send("large", 8 * PieceHeader.UnitBytes, key: 1);
        var pieces = TakeAll();
        foreach (var (message, piece) in pieces)
        {
            Assert.Null(_inbox.Begin(message.Number, piece, out var into));
            Assert.True(message.TryCopy(piece, into.Span));
        }

        pieces.ForEach(taken => _inbox.End(taken.Message.Number, taken.Piece));

        Assert.Equal([2, 4, 6, 8], _sink.Told.Select(told => (int)told.Number / PieceHeader.UnitBytes));
    }

    [Fact]
    public void A_channel_of_higher_priority_sends_its_pieces_first()
    {
        var low = NewOutbound(new ChannelOptions { Priority = -1 });
        var high = NewOutbound(new ChannelOptions { Priority = 1 });
        Append(low, 300_000);
        Append(high, 300_000);
        var woken = 0;

        Assert.False(low.TryTake(() => woken++, out _, out _));
        Assert.True(high.TryTake(() => { }, out _, out _));
        Assert.Equal(0, woken);
        Assert.True(high.TryTake(() => { }, out _, out _));

        Assert.Equal(1, woken);
        Assert.True(low.TryTake(() => woken++, out _, out _));
    }

    [Fact]
    public void A_short_message_passes_long_ones_and_the_oldest_does_not_starve()
    {
        var striping = new Striping();
        var oldest = Bulk(4_000_000);
        striping.Add(oldest);
        for (var i = 0; i < 40; i++)
        {
            striping.Add(Bulk(300_000));
            striping.Take(1);
        }

        Assert.True(oldest.IsTaken || oldest.Taken > 2_000_000, $"{oldest.Taken} bytes of the oldest were taken");
        var shortest = Bulk(1_000);
        striping.Add(shortest);
        striping.Take(1);
        striping.Take(1);
        Assert.True(shortest.IsTaken);
    }

    [Fact]
    public void What_the_remote_must_not_send_is_a_fault_before_anything_is_kept_for_it()
    {
        Assert.Contains("announcement", _inbox.Announce(1, [1, 2, 3]), StringComparison.Ordinal);
        Assert.Null(_inbox.Begin(1, new PieceHeader(0, MaxMessage), out _));
        Assert.Contains("come already", _inbox.Begin(1, new PieceHeader(0, MaxMessage), out _), StringComparison.Ordinal);
        Assert.Contains("and of", _inbox.Begin(1, new PieceHeader(0, MaxMessage - 1), out _), StringComparison.Ordinal);
        Assert.Null(_inbox.Begin(2, new PieceHeader(0, MaxMessage), out _));

        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Contains("more than", _inbox.Begin(3, new PieceHeader(0, MaxMessage), out _), StringComparison.Ordinal);
        Assert.Contains("more than", _inbox.Begin(4, new PieceHeader(0, MaxMessage + 1), out _), StringComparison.Ordinal);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 100_000);
        Assert.NotNull(_inbox.Follow(1, new byte[40], out _, out _));
    }

    [Theory]
    [InlineData(1, 100, 99)]
    [InlineData(0, 0, 0)]
    [InlineData(PieceHeader.UnitBytes, PieceHeader.UnitBytes, 0)]
    [InlineData(0, 100, 99)]
    [InlineData(0, MaxMessage + 1, PieceHeader.UnitBytes)]
    [InlineData(0, MaxMessage, PieceHeader.UnitBytes + 1)]
    [InlineData(0, MaxMessage, PieceHeader.MaxBytes + PieceHeader.UnitBytes)]
    [InlineData(PieceHeader.UnitBytes, 2 * PieceHeader.UnitBytes, 2 * PieceHeader.UnitBytes)]
    public void A_piece_that_is_not_where_pieces_are_is_a_fault(int offset, int total, int length)
    {
        var bytes = new byte[PieceHeader.Size];
        new PieceHeader(offset, total).Write(bytes);

        Assert.NotNull(PieceHeader.TryRead(bytes, length, MaxMessage, out _));
    }

    private static OutgoingMessage Bulk(int size) =>
        new(PartitionKey.From(size), new byte[17], new FrameHeader(FrameKind.OneWay, 0, 1, size), new byte[size], 0);

    private static void Shuffle<T>(List<T> items, int seed)
    {
        var shuffled = items.ToArray();
        new Random(seed).Shuffle(shuffled);
        items.Clear();
        items.AddRange(shuffled);
    }

    private static SendOutcome Append(LargeOutbox outbound, int size) =>
        outbound.TryAppend(FrameKind.OneWay, 0, "s", new byte[size], PartitionKey.From(size), null, out _);

    private LargeOutbox NewOutbound(ChannelOptions options)
    {
        var outbound = new LargeOutbox(options, _queue, MaxOpen, _budget, () => _givenUp++);
        _budget.Add(outbound);
        return outbound;
    }

    private void Send(string name, int size, int key)
    {
        Assert.Equal(
            SendOutcome.Queued, _outbound.TryAppend(FrameKind.OneWay, 0, name, Payload(size), PartitionKey.From(key), null, out _));
    }

    private OutgoingMessage Lend(byte[] payload, int key)
    {
        Assert.Equal(SendOutcome.Queued, _outbound.TryLend(1, "lent", payload, PartitionKey.From(key), null, out _, out var loan));
        return loan!;
    }

    private static byte[] Payload(int size)
    {
        var payload = new byte[size];
        new Random(size).NextBytes(payload);
        return payload;
    }

    private void Handle(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload)
    {
        Assert.True(payload.Span.SequenceEqual(Payload(payload.Length)));
        _handled.Add($"{Encoding.UTF8.GetString(preface[..header.ServiceBytes])}{payload.Length}");
    }

    private List<(OutgoingMessage Message, PieceHeader Piece)> TakeAll()
    {
        List<(OutgoingMessage, PieceHeader)> taken = [];
        while (_outbound.TryTake(() => { }, out var message, out var piece))
        {
            taken.Add((message, piece));
        }

        return taken;
    }

    private void Arrive((OutgoingMessage Message, PieceHeader Piece) taken) => Arrive(taken, _inbox);

    private void Arrive((OutgoingMessage Message, PieceHeader Piece) taken, LargeInbox inbox)
    {
        Assert.Null(inbox.Begin(taken.Message.Number, taken.Piece, out var into));
        Assert.True(taken.Message.TryCopy(taken.Piece, into.Span));
        _outbound.NoteSent(taken.Message, taken.Piece);
        inbox.End(taken.Message.Number, taken.Piece);
    }

    private void ArriveQueue() => ArriveQueue(_inbox);

    private void ArriveQueue(LargeInbox inbox)
    {
        List<ArraySegment<byte>> batch = [];
        while (_queue.TryTake(batch))
        {
            byte[] bytes = [.. batch.SelectMany(segment => segment)];
            _queue.Release();
            for (var at = 0; at < bytes.Length;)
            {
                Assert.True(FrameHeader.TryRead(bytes.AsSpan(at), MaxMessage, out var header, out var fault), fault);
                var payload = bytes.AsMemory(at + header.PayloadOffset, header.PayloadBytes);
                var preface = bytes.AsSpan((at + FrameHeader.Size)..(at + header.PayloadOffset));
                at += header.FrameBytes;
                switch (header.Kind)
                {
                    case FrameKind.Announce:
                        Assert.Null(inbox.Announce(header.Number, payload.Span));
                        break;
                    case FrameKind.Follows:
                        Assert.Null(inbox.Follow(header.Number, payload, out var inner, out var isNext));
                        if (isNext)
                        {
                            Handle(inner, payload.Span[FrameHeader.Size..inner.PayloadOffset], payload[inner.PayloadOffset..]);
                        }

                        break;
                    default:
                        Handle(header, preface, payload);
                        break;
                }
            }
        }
    }

    private void Acknowledge()
    {
        foreach (var (kind, number) in _sink.Told)
        {
            if (kind == FrameKind.Arrived)
            {
                _outbound.NoteArrived(number);
            }
            else
            {
                _budget.Return(_outbound.NoteReceived(number));
            }
        }

        _sink.Told.Clear();
    }
}
