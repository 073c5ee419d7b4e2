using Geo.Testing.InMemory;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Messaging.Tests;

/// <summary>The transports that the tests of a node run over.</summary>
internal abstract class Wires
{
    public static Wires Tcp => new TcpWires();

    public static Wires Unix => new UnixWires();

    public static Wires InMemory => new InMemoryWires();

    /// <summary>The transport itself.</summary>
    public abstract IWireTransport Transport { get; }

    /// <summary>An address where nobody listens yet.</summary>
    public abstract PeerAddress NewAddress();

    /// <summary>Makes a node as a user makes it.</summary>
    public virtual MessagingNode NewNode(MessagingOptions options, WireVersions versions) =>
        new(options, TimeProvider.System, NullLoggerFactory.Instance, null, versions);

    /// <summary>Leaves nothing behind.</summary>
    public virtual void Clear()
    {
    }

    private sealed class TcpWires : Wires
    {
        public override IWireTransport Transport => SocketTransport.Instance;

        public override PeerAddress NewAddress() => PeerAddress.Loopback();
    }

    private sealed class UnixWires : Wires
    {
        private readonly DirectoryInfo _directory = System.IO.Directory.CreateTempSubdirectory("geo-unix-");
        private int _files;

        public override IWireTransport Transport => SocketTransport.Instance;

        public override PeerAddress NewAddress() =>
            PeerAddress.Unix(Path.Combine(_directory.FullName, $"{Interlocked.Increment(ref _files)}.sock"));

        public override void Clear() => _directory.Delete(recursive: true);
    }

    private sealed class InMemoryWires : Wires
    {
        private readonly InMemoryNetwork _network = new(TimeProvider.System);

        public override IWireTransport Transport => _network;

        public override PeerAddress NewAddress() => PeerAddress.Loopback();

        public override MessagingNode NewNode(MessagingOptions options, WireVersions versions) =>
            new(options, TimeProvider.System, NullLoggerFactory.Instance, _network, versions);
    }
}
