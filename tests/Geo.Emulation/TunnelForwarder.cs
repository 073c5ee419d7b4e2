using System.Diagnostics;

namespace Geo.Emulation;

/// <summary>
/// Everything that leaves one site: a thread reads its packets, holds each for the delay and lets it arrive where it is addressed to.
/// </summary>
internal sealed unsafe class TunnelForwarder(TunnelRouter router, TunnelDevice from, PacketRing ring)
{
    // So many packets are read before those that are due get their turn again.
    private const int ReadsInARow = 64;
    private const int VersionOffset = TunnelDevice.HeaderBytes;
    private const int DestinationOffset = TunnelDevice.HeaderBytes + 16;
    private const int LeastBytes = TunnelDevice.HeaderBytes + 20;

    private static readonly TimeSpan IdleWait = TimeSpan.FromMilliseconds(50);

    private long _lastDue;
    private long _packets;
    private long _bytes;
    private long _dropped;

    public long Packets => Volatile.Read(ref _packets);

    public long Bytes => Volatile.Read(ref _bytes);

    public long Dropped => Volatile.Read(ref _dropped);

    /// <summary>Forwards until the router stops.</summary>
    public void Run()
    {
        while (!router.IsStopping)
        {
            var hasRoom = ring.TryReserve() is not null;
            from.Wait(UntilNextDue(), forPackets: hasRoom);
            Take();
            Release();
        }
    }

    private TimeSpan UntilNextDue()
    {
        if (!ring.TryPeek(out _, out _, out var due))
        {
            return IdleWait;
        }

        var wait = TimeSpan.FromTicks((long)((due - Stopwatch.GetTimestamp()) * (double)TimeSpan.TicksPerSecond / Stopwatch.Frequency));
        return wait < TimeSpan.Zero ? TimeSpan.Zero : wait > IdleWait ? IdleWait : wait;
    }

    private void Take()
    {
        for (var reads = 0; reads < ReadsInARow; reads++)
        {
            var place = ring.TryReserve();
            if (place is null)
            {
                return;
            }

            var bytes = from.Read(place);
            if (bytes == 0)
            {
                return;
            }

            // A delay that was shortened meanwhile must not let later packets overtake.
            _lastDue = Math.Max(_lastDue, Stopwatch.GetTimestamp() + router.DelayStamps);
            ring.Commit(bytes, _lastDue);
        }
    }

    private void Release()
    {
        while (ring.TryPeek(out var packet, out var bytes, out var due) && due <= Stopwatch.GetTimestamp())
        {
            // Only IPv4 is addressed here; what else a fresh interface says is for nobody.
            if (bytes >= LeastBytes && packet[VersionOffset] >> 4 == 4)
            {
                Deliver(packet, bytes);
            }

            ring.Remove();
        }
    }

    private void Deliver(byte* packet, int bytes)
    {
        if (router.DeviceOf(new ReadOnlySpan<byte>(packet + DestinationOffset, 4)) is not { } to || !to.TryWrite(packet, bytes))
        {
            Volatile.Write(ref _dropped, _dropped + 1);
            return;
        }

        Volatile.Write(ref _packets, _packets + 1);
        Volatile.Write(ref _bytes, _bytes + bytes);
    }
}
