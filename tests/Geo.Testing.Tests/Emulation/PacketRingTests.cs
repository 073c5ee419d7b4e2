using Geo.Emulation;

namespace Geo.Testing.Tests.Emulation;

public sealed unsafe class PacketRingTests : IDisposable
{
    private const int MaxPacketBytes = 1000;
    private readonly PacketRing _ring = new(8 * 1024, MaxPacketBytes);

    public void Dispose() => _ring.Dispose();

    [Fact]
    public void Packets_leave_in_order_and_whole_however_often_the_ring_wraps()
    {
        var random = new Random(7);
        var expected = new Queue<(int Bytes, byte Fill, long Due)>();
        var wrapped = 0;
        for (var step = 0; step < 20_000; step++)
        {
            var place = _ring.TryReserve();
            if (place is not null && random.Next(2) == 0)
            {
                var (bytes, fill) = (random.Next(1, MaxPacketBytes + 1), (byte)random.Next(256));
                new Span<byte>(place, bytes).Fill(fill);
                _ring.Commit(bytes, step);
                expected.Enqueue((bytes, fill, step));
                wrapped += bytes;
            }
            else if (expected.TryDequeue(out var next))
            {
                Assert.True(_ring.TryPeek(out var packet, out var bytes, out var due));
                Assert.Equal((next.Bytes, next.Due), (bytes, due));
                Assert.True(new ReadOnlySpan<byte>(packet, bytes).IndexOfAnyExcept(next.Fill) < 0);
                _ring.Remove();
            }

            Assert.Equal(expected.Count, _ring.Count);
        }

        Assert.True(wrapped > 100 * 8 * 1024);
    }

    [Fact]
    public void A_full_ring_gives_no_place_until_a_packet_has_left()
    {
        var packets = 0;
        for (; _ring.TryReserve() is not null; packets++)
        {
            _ring.Commit(MaxPacketBytes, packets);
        }

        Assert.InRange(packets, 5, 8);
        _ring.TryPeek(out _, out _, out _);
        _ring.Remove();
        _ring.TryPeek(out _, out _, out _);
        _ring.Remove();

        Assert.True(_ring.TryReserve() is not null);
    }

    [Fact]
    public void An_empty_ring_gives_no_packet()
    {
        Assert.False(_ring.TryPeek(out _, out _, out _));
        Assert.Equal(0, _ring.Count);
    }
}
