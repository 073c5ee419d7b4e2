namespace Geo.Experiments.Networks;

/// <summary>What a network is made of.</summary>
internal enum NetworkKind
{
    /// <summary>The machine's own loopback, without a distance.</summary>
    Loopback,

    /// <summary>Network namespaces and a router on tun devices: TCP sees the round trip.</summary>
    Tunnels,

    /// <summary>Delay lines on loopback: bytes are late, TCP's own round trip is that of loopback.</summary>
    DelayLines,
}
