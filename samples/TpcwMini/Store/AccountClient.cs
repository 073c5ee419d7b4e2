using Geo.Messaging;
using Geo.Testing.Storage;
using Microsoft.Extensions.Logging.Abstractions;
using TpcwMini.Options;

namespace TpcwMini.Store;

/// <summary>A process's connection to the storage account, at the distance that its cluster has from it.</summary>
internal sealed class AccountClient : IAsyncDisposable
{
    private readonly MessagingNode _node;

    private AccountClient(MessagingNode node, IConditionalStore store) => (_node, Store) = (node, store);

    /// <summary>The account's store.</summary>
    public IConditionalStore Store { get; }

    public static async Task<AccountClient> ConnectAsync(
        string cluster, string account, TimeSpan latency, CancellationToken cancellationToken = default)
    {
        var node = new MessagingNode(
            new MessagingOptions { Peer = new PeerId($"{cluster}-storage") }, TimeProvider.System, NullLoggerFactory.Instance);
        try
        {
            await node.StartAsync(cancellationToken);
            var peer = await node.JoinAsync(PeerAddress.Parse(account), cancellationToken: cancellationToken)
                .WaitAsync(Defaults.ProcessPatience, cancellationToken);
            var remote = new RemoteConditionalStore(node, peer, new RemoteStoreOptions { Timeout = Defaults.StoreTimeout });
            return new AccountClient(node, new LatencyConditionalStore(remote, latency, TimeProvider.System));
        }
        catch
        {
            await node.DisposeAsync();
            throw;
        }
    }

    public ValueTask DisposeAsync() => _node.DisposeAsync();
}
