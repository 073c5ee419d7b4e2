using System.Globalization;
using System.Net;

namespace Geo.Messaging;

/// <summary>Where a peer listens: a host (name or IP address) and a TCP port, written <c>host:port</c> or <c>[::1]:port</c>.</summary>
public sealed record PeerAddress
{
    /// <summary>Creates the address.</summary>
    /// <param name="host">A host name or an IP address, without brackets.</param>
    /// <param name="port">0 to 65535; 0, which only a listener may use, asks for any free port.</param>
    /// <exception cref="ArgumentException">The host is empty or the port is out of range.</exception>
    public PeerAddress(string host, int port)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(host);
        ArgumentOutOfRangeException.ThrowIfNegative(port);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(port, IPEndPoint.MaxPort);
        (Host, Port) = (host, port);
    }

    /// <summary>The host name or IP address.</summary>
    public string Host { get; }

    /// <summary>The TCP port.</summary>
    public int Port { get; }

    /// <summary>True when nothing sent to this address can leave the machine: <c>localhost</c>, 127.0.0.0/8 or ::1.</summary>
    public bool IsLoopback =>
        string.Equals(Host, "localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(Host, out var ip) && IPAddress.IsLoopback(ip));

    /// <summary>The address on this machine's loopback interface.</summary>
    /// <param name="port">The port; 0 asks for any free one.</param>
    public static PeerAddress Loopback(int port = 0) => new("127.0.0.1", port);

    /// <summary>Reads <c>host:port</c> or <c>[ipv6]:port</c>.</summary>
    /// <exception cref="FormatException">The text is not an address; the message says what is expected.</exception>
    public static PeerAddress Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var colon = text.LastIndexOf(':');
        var host = colon > 0 ? text[..colon] : "";
        if (host.StartsWith('[') && host.EndsWith(']'))
        {
            host = host[1..^1];
        }
        else if (host.Contains(':', StringComparison.Ordinal))
        {
            host = "";
        }

        return !string.IsNullOrWhiteSpace(host)
            && int.TryParse(text[(colon + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out var port)
            && port <= IPEndPoint.MaxPort
                ? new PeerAddress(host, port)
                : throw new FormatException($"'{text}' is not a peer address: expected 'host:port' or '[ipv6]:port' with a port of 0 to 65535.");
    }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{(Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]" : Host)}:{Port}");
}
