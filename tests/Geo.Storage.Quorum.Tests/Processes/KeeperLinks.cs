using System.Globalization;
using Geo.Messaging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Storage.Quorum.Tests;

/// <summary>A process's links to the clusters that keep values.</summary>
internal sealed class KeeperLinks : IAsyncDisposable
{
    // A value of the largest size and what travels with it.
    private const int MaxMessageBytes = 16 * 1024 * 1024;

    private readonly MessagingNode _node;

    private KeeperLinks(MessagingNode node, ClusterMessenger messenger) => (_node, Messenger) = (node, messenger);

    public ClusterMessenger Messenger { get; }

    /// <param name="cluster">The process's cluster; it listens where it is one of those that keep values.</param>
    /// <param name="ports">Where those listen.</param>
    public static async Task<KeeperLinks> StartAsync(string cluster, IReadOnlyDictionary<string, int> ports)
    {
        var node = new MessagingNode(
            new MessagingOptions
            {
                Peer = new PeerId($"{cluster}/silo"),
                Cluster = new ClusterId(cluster),
                ListenOn = ports.TryGetValue(cluster, out var port) ? Address(port) : null,
                MaxMessageBytes = MaxMessageBytes,
            },
            TimeProvider.System,
            NullLoggerFactory.Instance);
        await node.StartAsync();
        return new(node, new ClusterMessenger(
            node, ports.ToDictionary(p => new ClusterId(p.Key), p => (IReadOnlyList<PeerAddress>)[Address(p.Value)])));
    }

    public async ValueTask DisposeAsync()
    {
        await Messenger.DisposeAsync();
        await _node.DisposeAsync();
    }

    private static PeerAddress Address(int port) => PeerAddress.Parse(string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}"));
}
