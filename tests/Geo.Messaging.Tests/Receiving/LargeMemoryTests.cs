namespace Geo.Messaging.Tests;

public sealed class LargeMemoryTests
{
    private const int MaxMessage = 1024 * 1024;

    [Fact]
    public void What_is_announced_takes_no_memory_before_its_first_piece_and_what_finds_none_is_refused_when_it_has_come()
    {
        var memory = new NodeBudget(2 * MaxMessage);
        var sink = new PieceSink();
        var inbox = new LargeInbox(MaxMessage, 64 * MaxMessage, memory.NewShare(new object()), sink);
        for (ulong number = 1; number <= 50; number++)
        {
            Announce(inbox, number);
        }

        Assert.Equal(0, memory.Held);
        sink.Keeps = true;
        Send(inbox, 1);
        Send(inbox, 2);

        Assert.Equal(MaxMessage, memory.Held);
        Assert.Equal(1UL, Assert.Single(sink.Kept).Header.Number);
        Assert.Equal(2UL, Assert.Single(sink.Refused).Number);
        Assert.Contains((FrameKind.Arrived, 2UL), sink.Told);
        Assert.DoesNotContain((FrameKind.Arrived, 1UL), sink.Told);

        sink.Kept[0].Begin();
        Assert.Contains((FrameKind.Arrived, 1UL), sink.Told);
        Assert.Equal(MaxMessage, memory.Held);
        sink.Kept[0].Release();
        sink.Kept[0].Release();
        Assert.Equal(0, memory.Held);
    }

    [Fact]
    public void What_was_held_back_counts_until_its_handler_begins_and_its_memory_until_it_has_ended()
    {
        var memory = new NodeBudget(8 * MaxMessage);
        var sink = new PieceSink { Keeps = true };
        var inbox = new LargeInbox(MaxMessage, 64 * MaxMessage, memory.NewShare(new object()), sink);
        Announce(inbox, 1);
        var small = Small();
        var smallBytes = small.Length + Announcement.HeldBackBytes;
        Assert.Null(inbox.Follow(1, small, out _, out _));
        Send(inbox, 1);
        Assert.Equal((MaxMessage + smallBytes, MaxMessage + smallBytes), (inbox.OpenBytes, memory.Held));

        sink.Kept[0].Begin();
        sink.Kept[0].Release();
        Assert.Equal((smallBytes, smallBytes), (inbox.OpenBytes, memory.Held));
        Assert.DoesNotContain((FrameKind.Arrived, 1UL), sink.Told);

        sink.Kept[1].Begin();
        Assert.Contains((FrameKind.Arrived, 1UL), sink.Told);
        Assert.Equal((0, smallBytes), (inbox.OpenBytes, memory.Held));
        sink.Kept[1].Release();
        Assert.Equal(0, memory.Held);
    }

    [Fact]
    public void A_lane_that_ends_gives_back_what_its_messages_held()
    {
        var memory = new NodeBudget(8 * MaxMessage);
        var inbox = new LargeInbox(MaxMessage, 64 * MaxMessage, memory.NewShare(new object()), new PieceSink());
        Announce(inbox, 1);
        Assert.Null(inbox.Begin(1, new PieceHeader(0, MaxMessage), out _));
        var small = Small();
        Assert.Null(inbox.Follow(1, small, out _, out var isNext));
        Assert.False(isNext);
        Assert.Equal(MaxMessage + small.Length + Announcement.HeldBackBytes, memory.Held);

        inbox.Close();
        inbox.End(1, new PieceHeader(0, MaxMessage));

        Assert.Equal(0, memory.Held);
    }

    private static byte[] Small()
    {
        var small = new byte[FrameHeader.Size + 1];
        new FrameHeader(FrameKind.OneWay, 0, 1, 0).Write(small);
        return small;
    }

    private static void Announce(LargeInbox inbox, ulong number)
    {
        var start = new byte[FrameHeader.Size + 1];
        new FrameHeader(FrameKind.Request, number, 1, MaxMessage).Write(start);
        var announcement = new byte[Announcement.MaxBytes];
        Assert.Null(inbox.Announce(number, announcement.AsSpan(0, Announcement.Write(announcement, 0, start))));
    }

    private static void Send(LargeInbox inbox, ulong number)
    {
        for (var offset = 0; offset < MaxMessage; offset += PieceHeader.UnitBytes)
        {
            Assert.Null(inbox.Begin(number, new PieceHeader(offset, MaxMessage), out _));
            inbox.End(number, new PieceHeader(offset, MaxMessage));
        }
    }
}
