using System.Buffers.Binary;

namespace Geo.Messaging.Tests;

public sealed class FrameHeaderTests
{
    [Fact]
    public void A_header_is_read_back_as_it_was_written()
    {
        var header = new FrameHeader(FrameKind.Request, 0x0102030405060708, 7, 123_456);
        var bytes = new byte[FrameHeader.Size];
        header.Write(bytes);

        Assert.True(FrameHeader.TryRead(bytes, 1_000_000, out var read, out var fault));
        Assert.Equal(header, read);
        Assert.Null(fault);
    }

    [Fact]
    public void A_traced_frame_has_its_trace_before_its_payload()
    {
        var header = new FrameHeader(FrameKind.Request, 1, 7, 500, IsTraced: true);
        var bytes = new byte[FrameHeader.Size];
        header.Write(bytes);

        Assert.True(FrameHeader.TryRead(bytes, 1000, out var read, out var fault), fault);
        Assert.Equal(header, read);
        Assert.Equal(FrameHeader.Size + 7 + TraceContext.Size + 500, read.FrameBytes);
    }

    [Fact]
    public void Only_what_a_handler_runs_for_carries_a_trace()
    {
        var bytes = new byte[FrameHeader.Size];
        foreach (var kind in Enum.GetValues<FrameKind>().Except([FrameKind.OneWay, FrameKind.Request]))
        {
            new FrameHeader(kind, 1, 0, 50, IsTraced: true).Write(bytes);
            Assert.False(FrameHeader.TryRead(bytes, 1000, out _, out var fault));
            Assert.Contains("flags", fault, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_header_that_has_not_arrived_whole_is_neither_sound_nor_a_fault()
    {
        Assert.False(FrameHeader.TryRead(new byte[FrameHeader.Size - 1], 1000, out _, out var fault));
        Assert.Null(fault);
    }

    [Fact]
    public void A_payload_above_the_limit_is_a_fault_whatever_length_is_announced()
    {
        var bytes = new byte[FrameHeader.Size];
        foreach (var payload in new[] { 1001, int.MaxValue - 100 })
        {
            new FrameHeader(FrameKind.Reply, 1, 0, payload).Write(bytes);
            Assert.False(FrameHeader.TryRead(bytes, 1000, out _, out var fault));
            Assert.Contains("too large", fault, StringComparison.Ordinal);
        }

        BinaryPrimitives.WriteUInt32LittleEndian(bytes, uint.MaxValue);
        Assert.False(FrameHeader.TryRead(bytes, int.MaxValue, out _, out var huge));
        Assert.Contains("too large", huge, StringComparison.Ordinal);
    }
}
