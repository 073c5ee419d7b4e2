namespace Geo.Experiments.Networks;

/// <summary>The names of the kinds of network.</summary>
internal static class NetworkKinds
{
    /// <summary>What it is, for the report.</summary>
    public static string Description(this NetworkKind kind) => kind switch
    {
        NetworkKind.Loopback => "loopback",
        NetworkKind.Tunnels => "network namespaces and a userspace router on tun devices, in the experiment's process",
        _ => "delay lines on loopback, in the experiment's process (bytes are delayed, TCP's own round trip is not)",
    };
}
