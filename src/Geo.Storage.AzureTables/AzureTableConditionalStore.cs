using System.Runtime.CompilerServices;
using System.Text.Json;
using Azure.Core;

namespace Geo.Storage.AzureTables;

/// <summary>
/// A conditional store in a table of an Azure storage account, which any number of processes anywhere may use at once. An applied write
/// survives what the account's redundancy survives.
/// </summary>
/// <remarks>
/// <para>Etags are those of the table service. Reads go to the account's primary region and see every applied write.</para>
/// <para>
/// Each value is an entity in a partition of its own (keys of more than 512 characters, as encoded, that begin alike share one), so that
/// the limits of a partition, about 2,000 operations a second, are those of a single key. A value is split over properties of 64 KiB.
/// Digits and ASCII letters of a key stand for themselves, every other byte of its UTF-8 form takes three characters. Of a key of more than
/// 958 characters so encoded the table holds the beginning and a hash; such keys are listed in order by sorting those that begin alike.
/// </para>
/// <para>
/// A write or delete that was sent and not answered in time is unknown and never sent again. One that the service turns away for its load
/// (429, or 503 "ServerBusy") is sent again a bounded number of times; a conflict after a 503 is unknown, since nothing proves that the
/// first attempt had no effect.
/// </para>
/// </remarks>
public sealed class AzureTableConditionalStore : IConditionalStore, IDisposable
{
    private const string NotJson = "what answered is not a table service";

    private readonly AzureTableStoreOptions _options;
    private readonly TableAddresses _addresses;
    private readonly TableSender _sender;
    private readonly TableOpening _opening;
    private readonly IDisposable? _owned;
    private int _outstanding;

    /// <summary>
    /// Makes a store. The table is created, where it is to be, with the first operation; until that succeeds outcomes are unknown.
    /// </summary>
    /// <param name="options">The table, the proof and the limits.</param>
    /// <param name="time">The clock of time-outs and waits; the system's by default.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range or contradicts another.</exception>
    public AzureTableConditionalStore(AzureTableStoreOptions options, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        _options = options;
        _addresses = new(options.Endpoint, options.Table);
        (var pipeline, _owned) = TablePipeline.Build(options, time ?? TimeProvider.System);
        _sender = new(pipeline, options, time ?? TimeProvider.System);
        _opening = new(_sender, _addresses, options);
    }

    /// <summary>Makes a store and waits until the table is there.</summary>
    /// <param name="options">The table, the proof and the limits.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoConfigurationException">An option is wrong, or the service refuses them.</exception>
    /// <exception cref="GeoUnavailableException">The service cannot be reached.</exception>
    public static async Task<AzureTableConditionalStore> OpenAsync(
        AzureTableStoreOptions options, CancellationToken cancellationToken = default)
    {
        var store = new AzureTableConditionalStore(options);
        try
        {
            var reply = await store._opening.OpenAsync(cancellationToken).ConfigureAwait(false);
            return reply.IsSuccess ? store : throw NotOpened(options, reply);
        }
        catch
        {
            store.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        var reply = await SendAsync(new(RequestMethod.Get, _addresses.Entity(EntityKey.Of(key))), cancellationToken).ConfigureAwait(false);
        if (reply.IsMissingEntity)
        {
            return StoreRead.NotFound;
        }

        if (!reply.IsSuccess)
        {
            return StoreRead.Unknown(reply.Reason!);
        }

        try
        {
            using var json = JsonDocument.Parse(reply.Content);
            var entry = EntityJson.Read(json.RootElement, reply.ETag);
            return StoreRead.Found(entry.Value, entry.ETag);
        }
        catch (JsonException)
        {
            return StoreRead.Unknown(NotJson);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        StoreLimits.CheckValue(key, value.Length, _options.MaxValueBytes, "Azure table store", _options.Table);

        cancellationToken.ThrowIfCancellationRequested();
        if (expected is { } unknown && !IsFromTables(unknown))
        {
            return StoreWrite.Conflict;
        }

        var place = EntityKey.Of(key);
        var request = expected is null
            ? new TableRequest(RequestMethod.Post, _addresses.Table)
            : new TableRequest(RequestMethod.Put, _addresses.Entity(place)) { Expected = expected };
        var reply = await SendAsync(request with { Body = EntityJson.Write(key, place, value.Span) }, cancellationToken)
            .ConfigureAwait(false);
        return reply switch
        {
            { IsSuccess: true, ETag: { } etag } => StoreWrite.Applied(new ETag(etag)),
            { IsSuccess: true } => StoreWrite.Unknown("the table service answered without an etag"),
            _ => Refused(key, expected, reply),
        };
    }

    /// <inheritdoc/>
    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        if (!IsFromTables(expected))
        {
            return StoreWrite.Conflict;
        }

        var request = new TableRequest(RequestMethod.Delete, _addresses.Entity(EntityKey.Of(key))) { Expected = expected };
        var reply = await SendAsync(request, cancellationToken).ConfigureAwait(false);
        return reply.IsSuccess ? StoreWrite.Deleted : Refused(key, expected, reply);
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        var filter = EntityKey.FilterFor(prefix);
        var inOrder = new LongKeysInOrder(_options.MaxLongKeysInOrder);
        string? continuation = null;
        do
        {
            var request = new TableRequest(RequestMethod.Get, _addresses.Page(filter, _options.PageEntries, continuation));
            var reply = await SendAsync(request, cancellationToken).ConfigureAwait(false);
            if (!reply.IsSuccess)
            {
                throw NotListed(reply.Reason!);
            }

            foreach (var entry in inOrder.Add(Entries(reply.Content).Where(e => e.Key.StartsWith(prefix, StringComparison.Ordinal))))
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return entry;
            }

            continuation = reply.Continuation;
        }
        while (continuation is not null);

        foreach (var entry in inOrder.TakeRest())
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return entry;
        }
    }

    /// <summary>Closes the connections. Operations under way end as unknown.</summary>
    public void Dispose() => _owned?.Dispose();

    private static GeoException NotOpened(AzureTableStoreOptions options, TableReply reply) =>
        reply.Status is >= 400 and < 500 and not 408 and not 429
        ? new GeoConfigurationException(
            $"Azure table '{options.Table}' at '{options.Endpoint}' cannot be used: {reply.Reason}. Check the address, the credential and "
            + "its rights.")
        : new GeoUnavailableException(
            $"Azure table '{options.Table}' at '{options.Endpoint}' cannot be reached: {reply.Reason}. Try again later.");

    /// <summary>
    /// Whether an etag may be one of the table service. Others never leave this process: "*" would fit everything, and white space around
    /// an etag is lost on the way.
    /// </summary>
    private static bool IsFromTables(ETag etag) =>
        etag.Value is ['W', '/', '"', .. { Length: > 0 } tag, '"'] && tag.All(c => c is > ' ' and < '\u007f' and not '"');

    private GeoUnavailableException NotListed(string reason) =>
        new($"Azure table '{_options.Table}' cannot be listed: {reason}. Try again later.");

    private List<StoreEntry> Entries(ReadOnlyMemory<byte> page)
    {
        try
        {
            using var json = JsonDocument.Parse(page);
            return [.. json.RootElement.GetProperty("value").EnumerateArray().Select(entity => EntityJson.Read(entity))];
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            throw NotListed(NotJson);
        }
    }

    private StoreWrite Refused(string key, ETag? expected, TableReply reply) => reply switch
    {
        _ when reply.IsConflict || (reply.IsMissingEntity && expected is not null) => reply.FollowsBusy
            ? StoreWrite.Unknown($"{reply.Reason}, after it had answered that it was busy")
            : StoreWrite.Conflict,
        { Status: 413 } or { Code: "EntityTooLarge" or "PropertyValueTooLarge" or "RequestBodyTooLarge" } => throw new GeoStorageException(
            $"Azure table '{_options.Table}' refused the value for '{key}' as too large ({reply.Code}); store less under one key."),
        _ => StoreWrite.Unknown(reply.Reason!),
    };

    private async ValueTask<TableReply> SendAsync(TableRequest request, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        try
        {
            if (Interlocked.Increment(ref _outstanding) > _options.MaxOutstanding)
            {
                return TableReply.Failed($"{_options.MaxOutstanding} operations of the table store are under way already");
            }

            var opened = await _opening.OpenAsync(cancellationToken).ConfigureAwait(false);
            return opened.IsSuccess
                ? await _sender.SendAsync(request, cancellationToken).ConfigureAwait(false)
                : opened with { Status = 0, Reason = $"the table could not be opened: {opened.Reason}" };
        }
        finally
        {
            Interlocked.Decrement(ref _outstanding);
        }
    }
}
