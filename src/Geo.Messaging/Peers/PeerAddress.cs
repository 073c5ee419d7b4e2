using System.Globalization;
using System.Net;
using System.Text;

namespace Geo.Messaging;

/// <summary>
/// Where a peer listens: a host (name or IP address) and a TCP port, written <c>host:port</c> or <c>[::1]:port</c>, or a Unix domain
/// socket, written <c>unix:/path</c>.
/// </summary>
public sealed record PeerAddress
{
    /// <summary>The longest path of a Unix domain socket, in bytes of UTF-8: what every system takes.</summary>
    public const int MaxUnixPathBytes = 103;

    private const string UnixScheme = "unix:";

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

    private PeerAddress(string unixPath) => (Host, UnixPath) = ("localhost", unixPath);

    /// <summary>The host name or IP address; <c>localhost</c> for a Unix domain socket.</summary>
    public string Host { get; }

    /// <summary>The TCP port; 0 for a Unix domain socket.</summary>
    public int Port { get; }

    /// <summary>The file of a Unix domain socket; null for TCP.</summary>
    public string? UnixPath { get; }

    /// <summary>
    /// True when nothing sent to this address can leave the machine: <c>localhost</c>, 127.0.0.0/8, ::1 or a Unix domain socket.
    /// </summary>
    public bool IsLoopback =>
        string.Equals(Host, "localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(Host, out var ip) && IPAddress.IsLoopback(ip));

    /// <summary>The address on this machine's loopback interface.</summary>
    /// <param name="port">The port; 0 asks for any free one.</param>
    public static PeerAddress Loopback(int port = 0) => new("127.0.0.1", port);

    /// <summary>The address of a Unix domain socket, for peers of one user on one machine: its file is open to its owner only.</summary>
    /// <param name="path">The absolute path of the socket's file, at most <see cref="MaxUnixPathBytes"/> bytes.</param>
    /// <exception cref="ArgumentException">The path is not absolute or too long.</exception>
    public static PeerAddress Unix(string path) =>
        FaultOf(path) is { } fault ? throw new ArgumentException(fault, nameof(path)) : new PeerAddress(path);

    /// <summary>Reads <c>host:port</c>, <c>[ipv6]:port</c> or <c>unix:/path</c>.</summary>
    /// <exception cref="FormatException">The text is not an address; the message says what is expected.</exception>
    public static PeerAddress Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.StartsWith(UnixScheme + '/', StringComparison.Ordinal))
        {
            var path = text[UnixScheme.Length..];
            return FaultOf(path) is { } fault
                ? throw new FormatException($"'{text}' is not a peer address: {fault}")
                : new PeerAddress(path);
        }

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
                : throw new FormatException(
                    $"'{text}' is not a peer address: expected 'host:port' or '[ipv6]:port' with a port of 0 to 65535, or 'unix:/path'.");
    }

    /// <inheritdoc/>
    public override string ToString() =>
        UnixPath is not null ? UnixScheme + UnixPath
        : string.Create(CultureInfo.InvariantCulture, $"{(Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]" : Host)}:{Port}");

    private static string? FaultOf(string? path) =>
        path is null || path.Length < 2 || path[0] != '/' || path.Contains('\0', StringComparison.Ordinal)
            ? $"'{path}' is not the absolute path of a file"
        : Encoding.UTF8.GetByteCount(path) > MaxUnixPathBytes
            ? $"the path of a Unix domain socket may have {MaxUnixPathBytes} bytes, this one has {Encoding.UTF8.GetByteCount(path)}"
        : null;
}
