using System.Globalization;
using System.Net;

namespace Geo.Emulation;

/// <summary>
/// A site behind network address translation and sites beyond it, as network namespaces with a gateway between them, by iptables: the one
/// inside reaches those outside, which see the gateway's address only and have no way to dial the one inside. On the gateway's inner
/// address a plain TCP load balancer can be set up, and the gateway can be made to drop everything.
/// </summary>
/// <remarks>
/// Needs Linux, root and the programs <c>ip</c> and <c>iptables</c>; see <see cref="Unavailable"/>. Nothing outside the namespaces is
/// reachable from within or changed. They are removed on disposal; what a killed process left is removed by the next start.
/// </remarks>
public sealed class NatNetwork : IDisposable
{
    private const string Subnet = "10.232";
    private const int InsideNumber = 1;

    private readonly List<NetworkNamespace> _networks = [];
    private readonly NetworkNamespace _gateway;

    private NatNetwork(int outside)
    {
        try
        {
            _gateway = Add();
            _gateway.Execute("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
            Inside = AddSite(InsideNumber);
            NetworkNamespace.Ip("-n", Inside.Namespace, "route", "add", "default", "via", GatewayAt(InsideNumber));
            Outside = [.. Enumerable.Range(InsideNumber + 1, outside).Select(AddSite)];
            foreach (var site in Outside)
            {
                foreach (var other in Outside.Where(other => other != site))
                {
                    NetworkNamespace.Ip(
                        "-n", site.Namespace, "route", "add", $"{other.Address}", "via", GatewayAt(site.Address.GetAddressBytes()[2]));
                }
            }

            Tables("nat", "-A", "POSTROUTING", "-s", $"{Subnet}.{InsideNumber}.0/24", "-j", "MASQUERADE");
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Why no such network can be made here; null when it can.</summary>
    public static string? Unavailable =>
        NetworkNamespace.Unavailable ?? (NetworkNamespace.IsInstalled("iptables") ? null : "the program 'iptables' is not installed");

    /// <summary>The site behind the translation.</summary>
    public TunnelSite Inside { get; }

    /// <summary>The sites beyond it, which reach each other.</summary>
    public IReadOnlyList<TunnelSite> Outside { get; }

    /// <summary>Makes the sites and the gateway between them.</summary>
    /// <param name="outside">How many sites lie outside, 1 to 100.</param>
    /// <exception cref="GeoConfigurationException">
    /// <see cref="Unavailable"/> says why it cannot be made here, or a command failed.
    /// </exception>
    public static NatNetwork Start(int outside)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(outside, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(outside, 100);
        if (Unavailable is { } reason)
        {
            throw new GeoConfigurationException($"NAT network: {reason}.");
        }

        NetworkNamespace.RemoveAbandoned();
        return new NatNetwork(outside);
    }

    /// <summary>
    /// Spreads the connections that are made to a port of the gateway's inner address evenly, one by one, over the sites outside.
    /// </summary>
    /// <param name="port">The port, at the gateway and at each site.</param>
    /// <returns>The address that the site inside dials.</returns>
    public IPEndPoint Balance(int port)
    {
        for (var index = 0; index < Outside.Count; index++)
        {
            Tables(
                "nat", "-A", "PREROUTING", "-i", DeviceOf(InsideNumber), "-p", "tcp", "--dport", Text(port), "-m", "statistic", "--mode",
                "nth",
                "--every", Text(Outside.Count - index), "--packet", "0", "-j", "DNAT", "--to-destination",
                $"{Outside[index].Address}:{Text(port)}");
        }

        return new IPEndPoint(IPAddress.Parse(GatewayAt(InsideNumber)), port);
    }

    /// <summary>Drops every packet between the sites, silently, until <see cref="Heal"/>.</summary>
    public void Cut() => Tables("filter", "-I", "FORWARD", "-j", "DROP");

    /// <summary>Ends a <see cref="Cut"/>.</summary>
    public void Heal() => Tables("filter", "-D", "FORWARD", "-j", "DROP");

    /// <summary>Removes the sites and the gateway.</summary>
    public void Dispose() => _networks.ForEach(network => network.Dispose());

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static string DeviceOf(int number) => $"site{Text(number)}";

    private static string GatewayAt(int number) => $"{Subnet}.{Text(number)}.1";

    private NetworkNamespace Add()
    {
        var network = NetworkNamespace.Create();
        _networks.Add(network);
        return network;
    }

    private TunnelSite AddSite(int number)
    {
        const string Card = "eth0";
        var (network, address) = (Add(), $"{Subnet}.{Text(number)}.2");
        NetworkNamespace.Ip(
            "link", "add", DeviceOf(number), "netns", _gateway.Name, "type", "veth", "peer", "name", Card, "netns", network.Name);
        NetworkNamespace.Ip("-n", _gateway.Name, "addr", "add", $"{GatewayAt(number)}/24", "dev", DeviceOf(number));
        NetworkNamespace.Ip("-n", _gateway.Name, "link", "set", DeviceOf(number), "up");
        NetworkNamespace.Ip("-n", network.Name, "link", "set", "lo", "up");
        NetworkNamespace.Ip("-n", network.Name, "addr", "add", $"{address}/24", "dev", Card);
        NetworkNamespace.Ip("-n", network.Name, "link", "set", Card, "up");
        return new TunnelSite(network, IPAddress.Parse(address));
    }

    private void Tables(string table, params string[] rule) => _gateway.Execute(["iptables", "-w", "-t", table, .. rule]);
}
