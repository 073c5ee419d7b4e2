using Geo.Messaging;

namespace Geo.Testing.Storage;

/// <summary>Serves a store to other processes, where a <see cref="RemoteConditionalStore"/> uses it: an emulated storage account.</summary>
public sealed class StorageAccountService : IDisposable
{
    /// <summary>The service under which a store is served when no other is named.</summary>
    public const string DefaultService = "geo.testing.storage";

    private const int PageEntries = 256;
    private const int PageBytes = 256 * 1024;

    private readonly IConditionalStore _store;
    private readonly IDisposable _registration;

    /// <summary>Begins to serve.</summary>
    /// <param name="node">The node whose peers may use the store.</param>
    /// <param name="store">The store; decorate it with a rate limit or faults as wanted.</param>
    /// <param name="service">The service's name; one for each store of a node.</param>
    /// <exception cref="InvalidOperationException">The node serves something under this name already.</exception>
    public StorageAccountService(MessagingNode node, IConditionalStore store, string service = DefaultService)
    {
        ArgumentNullException.ThrowIfNull(node);
        ArgumentNullException.ThrowIfNull(store);
        _store = store;
        _registration = node.Handle(service, HandleAsync);
    }

    /// <summary>Stops serving.</summary>
    public void Dispose() => _registration.Dispose();

    private async ValueTask<ReadOnlyMemory<byte>> HandleAsync(PeerMessage message, CancellationToken cancellationToken)
    {
        var request = StorageRequest.Read(message.Payload);
        var reply = new PayloadWriter();
        try
        {
            switch (request.Operation)
            {
                case StorageOperation.Read:
                    StorageReply.Write(reply, await _store.ReadAsync(request.Key, cancellationToken));
                    break;
                case StorageOperation.Write:
                    StorageReply.Write(reply, await _store.WriteAsync(request.Key, request.Value, request.ETag, cancellationToken));
                    break;
                case StorageOperation.Delete:
                    StorageReply.Write(reply, await _store.DeleteAsync(request.Key, request.ETag ?? default, cancellationToken));
                    break;
                default:
                    StorageReply.Write(reply, await PageAsync(request, cancellationToken));
                    break;
            }
        }
        catch (GeoException e) when (e is GeoStorageException or GeoUnavailableException)
        {
            reply.Reset();
            StorageReply.WriteRefusal(reply, e);
        }

        return reply.Written;
    }

    private async Task<StoragePage> PageAsync(StorageRequest request, CancellationToken cancellationToken)
    {
        var entries = new List<StoreEntry>();
        var bytes = 0;
        var passed = request.After is null;
        await foreach (var entry in _store.ListAsync(request.Key, cancellationToken))
        {
            if (!passed)
            {
                passed = StoragePage.IsAfter(entry.Key, request.After!);
                if (!passed)
                {
                    continue;
                }
            }

            if (entries.Count == PageEntries || bytes >= PageBytes)
            {
                return new StoragePage(entries, HasMore: true);
            }

            entries.Add(entry);
            bytes += entry.Value.Length;
        }

        return new StoragePage(entries, HasMore: false);
    }
}
