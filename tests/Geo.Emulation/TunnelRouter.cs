using System.ComponentModel.DataAnnotations;
using System.Diagnostics;
using System.Net;
using System.Runtime.InteropServices;

namespace Geo.Emulation;

/// <summary>
/// An emulated wide-area network that gives real TCP a real round trip: every site is a network namespace with one tun device, and a
/// thread for each site carries its packets to the others, in order and each a delay late. Acknowledgements travel as slowly as data, so
/// windows, send buffers and slow start count as they do over distance.
/// </summary>
/// <remarks>
/// Needs Linux, root, <c>/dev/net/tun</c> and the program <c>ip</c>; where they are missing, <c>DelayedLink</c> delays bytes, but
/// not TCP itself. Nothing outside the namespaces is reachable from within or changed. They are removed when the router is disposed of or
/// the process gets SIGINT, SIGTERM or SIGHUP; what a killed process left is removed by the next start.
/// </remarks>
public sealed class TunnelRouter : IDisposable
{
    private static readonly byte[] Subnet = [10, 231, 7];

    private readonly List<NetworkNamespace> _networks = [];
    private readonly List<TunnelDevice> _devices = [];
    private readonly List<PacketRing> _rings = [];
    private readonly List<TunnelForwarder> _forwarders = [];
    private readonly List<Thread> _threads = [];
    private readonly List<TunnelSite> _sites = [];
    private readonly List<PosixSignalRegistration> _signals = [];
    private readonly Lock _lock = new();
    private long _delayTicks;
    private volatile bool _stopping;
    private bool _removed;

    private TunnelRouter(TunnelRouterOptions options)
    {
        _delayTicks = options.OneWayDelay.Ticks;
        _signals.AddRange(((PosixSignal[])[PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGHUP])
            .Select(signal => PosixSignalRegistration.Create(signal, _ => RemoveSites())));
        try
        {
            for (var site = 1; site <= options.Sites; site++)
            {
                AddSite(new IPAddress([.. Subnet, (byte)site]), options);
            }
        }
        catch
        {
            Dispose();
            throw;
        }

        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_removed, this);
            _threads.AddRange(_forwarders.Select(forwarder => new Thread(forwarder.Run) { IsBackground = true, Name = "wan" }));
            _threads.ForEach(thread => thread.Start());
        }
    }

    /// <summary>Why no router can run here; null when one can.</summary>
    public static string? Unavailable =>
        NetworkNamespace.Unavailable ?? (File.Exists("/dev/net/tun") ? null : "there is no /dev/net/tun");

    /// <summary>The sites, with addresses that count up.</summary>
    public IReadOnlyList<TunnelSite> Sites => _sites;

    /// <summary>How long a packet is under way. A change holds for what comes from then on; order is kept.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The delay is negative.</exception>
    public TimeSpan OneWayDelay
    {
        get => new(Interlocked.Read(ref _delayTicks));
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            Interlocked.Exchange(ref _delayTicks, value.Ticks);
        }
    }

    /// <summary>The packets that have arrived so far; one may hold up to 64 KB of a stream.</summary>
    public long PacketsForwarded => _forwarders.Sum(forwarder => forwarder.Packets);

    /// <summary>The bytes of the packets that have arrived so far.</summary>
    public long BytesForwarded => _forwarders.Sum(forwarder => forwarder.Bytes);

    /// <summary>The packets that were addressed to no site or that the kernel did not take.</summary>
    public long PacketsDropped => _forwarders.Sum(forwarder => forwarder.Dropped);

    internal bool IsStopping => _stopping;

    internal long DelayStamps => (long)(OneWayDelay.TotalSeconds * Stopwatch.Frequency);

    /// <summary>Makes the sites and starts to carry packets between them.</summary>
    /// <exception cref="GeoConfigurationException">
    /// An option is out of range, or <see cref="Unavailable"/> says why it cannot run here.
    /// </exception>
    public static TunnelRouter Start(TunnelRouterOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (Unavailable is { } reason)
        {
            throw new GeoConfigurationException($"Tunnel router: {reason}. Use DelayedLink of Geo.Testing instead.");
        }

        try
        {
            Validator.ValidateObject(options, new ValidationContext(options), validateAllProperties: true);
        }
        catch (ValidationException e)
        {
            throw new GeoConfigurationException($"Tunnel router: {e.Message}", e);
        }

        NetworkNamespace.RemoveAbandoned();
        return new TunnelRouter(options);
    }

    /// <summary>Stops carrying packets and removes the sites. Processes that still run there are cut off, not ended.</summary>
    public void Dispose()
    {
        RemoveSites();
        _signals.ForEach(signal => signal.Dispose());
    }

    internal TunnelDevice? DeviceOf(ReadOnlySpan<byte> address)
    {
        var site = address[^1] - 1;
        return address[..^1].SequenceEqual(Subnet) && (uint)site < (uint)_devices.Count ? _devices[site] : null;
    }

    private void AddSite(IPAddress address, TunnelRouterOptions options)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_removed, this);
            var network = NetworkNamespace.Create();
            _networks.Add(network);
            var device = TunnelDevice.Create();
            _devices.Add(device);
            network.Adopt(device.Name, $"{address}/24", options.DeviceQueuePackets);
            var ring = new PacketRing(options.MaxBytesUnderWay, TunnelDevice.MaxPacketBytes);
            _rings.Add(ring);
            _forwarders.Add(new TunnelForwarder(this, device, ring));
            _sites.Add(new TunnelSite(network, address));
        }
    }

    private void RemoveSites()
    {
        lock (_lock)
        {
            if (_removed)
            {
                return;
            }

            _removed = true;
            _stopping = true;
            _threads.ForEach(thread => thread.Join());
            _devices.ForEach(device => device.Dispose());
            _rings.ForEach(ring => ring.Dispose());
            _networks.ForEach(network => network.Dispose());
        }
    }
}
