using Geo.Messaging;
using Geo.Testing.Storage;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Processes.Stores;

/// <summary>A process's connection to the storage account, at the distance that its cluster has from it.</summary>
public sealed class AccountClient : IAsyncDisposable
{
    private static readonly TimeSpan JoinPatience = TimeSpan.FromSeconds(30);

    private readonly MessagingNode _node;

    private AccountClient(MessagingNode node, IConditionalStore store) => (_node, Store) = (node, store);

    /// <summary>The account's store.</summary>
    public IConditionalStore Store { get; }

    /// <summary>Connects to the account.</summary>
    /// <param name="name">Whose connection it is.</param>
    /// <param name="account">Where the account listens.</param>
    /// <param name="latency">The time of an operation there and back.</param>
    /// <param name="timeout">How long an operation may take, its wait in line included, before its outcome is unknown.</param>
    /// <param name="cancellationToken">Ends the wait for the connection, which takes 30 s at most.</param>
    public static async Task<AccountClient> ConnectAsync(
        string name, string account, TimeSpan latency, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        var node = new MessagingNode(
            new MessagingOptions { Peer = new PeerId($"{name}-storage") }, TimeProvider.System, NullLoggerFactory.Instance);
        try
        {
            await node.StartAsync(cancellationToken);
            var peer = await node.JoinAsync(PeerAddress.Parse(account), cancellationToken: cancellationToken)
                .WaitAsync(JoinPatience, cancellationToken);
            var remote = new RemoteConditionalStore(node, peer, new RemoteStoreOptions { Timeout = timeout });
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
