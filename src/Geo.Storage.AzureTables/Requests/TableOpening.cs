using System.Text;
using Azure.Core;

namespace Geo.Storage.AzureTables;

/// <summary>Makes sure, once, that the table is there; a failure is tried again by the next operation.</summary>
internal sealed class TableOpening(TableSender sender, TableAddresses addresses, AzureTableStoreOptions options)
{
    private readonly Lock _lock = new();
    private Task<TableReply>? _opening;

    /// <summary>The answer of the service: a success when the table is there.</summary>
    public ValueTask<TableReply> OpenAsync(CancellationToken cancellationToken)
    {
        Task<TableReply> opening;
        lock (_lock)
        {
            if (_opening is { IsCompleted: true } ended && !(ended.IsCompletedSuccessfully && ended.Result.IsSuccess))
            {
                _opening = null;
            }

            // For all who wait: not to be cancelled with the first of them.
            opening = _opening ??= EnsureAsync();
        }

        return opening.IsCompletedSuccessfully ? new(opening.Result) : new(opening.WaitAsync(cancellationToken));
    }

    private async Task<TableReply> EnsureAsync()
    {
        if (!options.CreateTable)
        {
            return await sender.SendAsync(new(RequestMethod.Get, addresses.Page(null, 1, null)), CancellationToken.None)
                .ConfigureAwait(false);
        }

        var body = Encoding.UTF8.GetBytes($$"""{"TableName":"{{options.Table}}"}""");
        var reply = await sender.SendAsync(new(RequestMethod.Post, addresses.Tables) { Body = body }, CancellationToken.None)
            .ConfigureAwait(false);
        return reply is { Status: 409, Code: "TableAlreadyExists" } ? reply with { Status = 204 } : reply;
    }
}
