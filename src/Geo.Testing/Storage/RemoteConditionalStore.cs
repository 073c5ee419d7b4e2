using System.Runtime.CompilerServices;
using Geo.Messaging;

namespace Geo.Testing.Storage;

/// <summary>A store that a <see cref="StorageAccountService"/> serves in another process.</summary>
/// <remarks>
/// No link, no answer in time, a full queue: all are unknown. Requests about one key keep their order. A store that answers "refused
/// for good" does so here as well, with a <see cref="GeoStorageException"/>.
/// </remarks>
public sealed class RemoteConditionalStore : IConditionalStore
{
    private readonly MessagingNode _node;
    private readonly PeerId _account;
    private readonly RemoteStoreOptions _options;

    /// <summary>Creates the store. Connecting the node to the account is the caller's part.</summary>
    /// <param name="node">The node that asks.</param>
    /// <param name="account">The peer that serves.</param>
    /// <param name="options">Service, channel and time-out; the defaults when null.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    public RemoteConditionalStore(MessagingNode node, PeerId account, RemoteStoreOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(node);
        _options = (options ?? new RemoteStoreOptions()).Checked();
        (_node, _account) = (node, account);
    }

    /// <inheritdoc/>
    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        var reply = await AskAsync(new StorageRequest(StorageOperation.Read, key), cancellationToken);
        return reply.Outcome == ReplyOutcome.Replied ? StorageReply.ToRead(reply.Payload.Span) : StoreRead.Unknown(Why(reply));
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        return ChangeAsync(new StorageRequest(StorageOperation.Write, key, expected, Value: value), cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        return ChangeAsync(new StorageRequest(StorageOperation.Delete, key, expected), cancellationToken);
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        string? after = null;
        StoragePage page;
        do
        {
            var reply = await AskAsync(new StorageRequest(StorageOperation.List, prefix, After: after), cancellationToken);
            page = reply.Outcome == ReplyOutcome.Replied
                ? StorageReply.ToPage(reply.Payload.Span)
                : throw new GeoUnavailableException($"The storage account '{_account}' could not be listed: {Why(reply)}. Try again.");
            foreach (var entry in page.Entries)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return entry;
                after = entry.Key;
            }
        }
        while (page.HasMore);
    }

    private async ValueTask<StoreWrite> ChangeAsync(StorageRequest request, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        try
        {
            var reply = await AskAsync(request, cancellationToken);
            return reply.Outcome == ReplyOutcome.Replied ? StorageReply.ToWrite(reply.Payload.Span) : StoreWrite.Unknown(Why(reply));
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return StoreWrite.Unknown("cancelled after the request was sent");
        }
    }

    private ValueTask<ClusterReply> AskAsync(StorageRequest request, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var options = new MessageOptions(_options.Channel, PartitionKey.From(request.Key), _options.Timeout);
        return _node.RequestAsync(_account, _options.Service, request.ToPayload(), options, cancellationToken);
    }

    private static string Why(ClusterReply reply) => reply.Reason ?? "no answer";
}
