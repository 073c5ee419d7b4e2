using System.Runtime.InteropServices;
using System.Text;

namespace Geo.Emulation;

/// <summary>
/// A tun device: the kernel's packets to it are read here, and what is written here arrives from it. Segmentation and checksums are left
/// to whoever receives, so that up to 64 KB of a stream cross in one system call.
/// </summary>
internal sealed unsafe class TunnelDevice : IDisposable
{
    /// <summary>The header in front of every packet that says what is left to be done with it (the kernel's virtio_net_hdr).</summary>
    public const int HeaderBytes = 10;

    /// <summary>The largest packet with its header.</summary>
    public const int MaxPacketBytes = HeaderBytes + 65_536;

    private const int RequestBytes = 40;
    private const int NameBytes = 16;
    private const nuint SetInterface = 0x400454ca;
    private const nuint SetOffload = 0x400454d0;
    private const short TunWithoutInfoWithHeader = 0x1 | 0x1000 | 0x4000;
    private const nint ChecksumAndSegmentation = 0x1 | 0x2 | 0x4;

    private readonly int _descriptor;

    private TunnelDevice(int descriptor, string name) => (_descriptor, Name) = (descriptor, name);

    /// <summary>The name that the kernel gave it.</summary>
    public string Name { get; }

    /// <summary>Makes a device, which is gone when it is disposed of or the process ends.</summary>
    /// <exception cref="GeoConfigurationException">The kernel refused.</exception>
    public static TunnelDevice Create()
    {
        var descriptor = LinuxCalls.Open("/dev/net/tun", LinuxCalls.ReadWrite | LinuxCalls.NonBlocking | LinuxCalls.CloseOnExec);
        if (descriptor < 0)
        {
            throw Refused("open /dev/net/tun");
        }

        var request = stackalloc byte[RequestBytes];
        new Span<byte>(request, RequestBytes).Clear();
        Encoding.ASCII.GetBytes("geowan%d", new Span<byte>(request, NameBytes));
        *(short*)(request + NameBytes) = TunWithoutInfoWithHeader;
        if (LinuxCalls.Control(descriptor, SetInterface, request) < 0
            || LinuxCalls.Control(descriptor, SetOffload, ChecksumAndSegmentation) < 0)
        {
            var refused = Refused("make a tun device");
            _ = LinuxCalls.Close(descriptor);
            throw refused;
        }

        return new TunnelDevice(descriptor, Marshal.PtrToStringUTF8((nint)request)!);
    }

    /// <summary>Takes the next packet.</summary>
    /// <returns>Its bytes; 0 when there is none.</returns>
    public int Read(byte* buffer) => (int)Math.Max(0, LinuxCalls.Read(_descriptor, buffer, MaxPacketBytes));

    /// <summary>Lets a packet arrive.</summary>
    /// <returns>False when the kernel did not take it.</returns>
    public bool TryWrite(byte* packet, int bytes) => LinuxCalls.Write(_descriptor, packet, bytes) == bytes;

    /// <summary>Waits until there is something to read or time is up.</summary>
    /// <param name="timeout">How long at most.</param>
    /// <param name="forPackets">False to let time pass only.</param>
    public void Wait(TimeSpan timeout, bool forPackets)
    {
        var descriptor = new LinuxCalls.PollDescriptor { Descriptor = forPackets ? _descriptor : -1, Wanted = LinuxCalls.PollIn };
        var wait = new LinuxCalls.TimeSpec
        {
            Seconds = timeout.Ticks / TimeSpan.TicksPerSecond,
            Nanoseconds = timeout.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick,
        };

        // An interrupted wait ends early, which is as good as a packet that was not for us.
        _ = LinuxCalls.Poll(&descriptor, 1, &wait, null);
    }

    public void Dispose() => _ = LinuxCalls.Close(_descriptor);

    private static GeoConfigurationException Refused(string what) =>
        new($"Tunnel router: cannot {what}: {Marshal.GetLastPInvokeErrorMessage()}. It needs root and /dev/net/tun.");
}
