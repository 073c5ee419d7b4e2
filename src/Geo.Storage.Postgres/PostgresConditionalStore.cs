using System.Globalization;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using Npgsql;

namespace Geo.Storage.Postgres;

/// <summary>
/// A conditional store in a PostgreSQL table. Each conditional write is one statement that commits by itself and is never sent twice: what
/// is sent and not answered is unknown.
/// </summary>
/// <remarks>Made without a connection: until the server can be reached, outcomes are unknown.</remarks>
public sealed class PostgresConditionalStore : IConditionalStore, IAsyncDisposable
{
    // Greater than any key: the byte does not occur in UTF-8.
    private static readonly byte[] AfterEverything = [0xff];

    private readonly PostgresStoreOptions _options;
    private readonly PostgresStatements _statements;
    private readonly NpgsqlDataSource _source;
    private readonly PostgresTable _table;
    private int _running;

    /// <summary>Makes the store; the first operation makes the table if there is none.</summary>
    /// <param name="options">The server, the table and the limits.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range.</exception>
    public PostgresConditionalStore(PostgresStoreOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        _options = options;
        _statements = new PostgresStatements(options.Table);
        _source = NpgsqlDataSource.Create(options.ConnectionString);
        _table = new PostgresTable(_source, _statements, options.Table);
    }

    /// <summary>Makes the store and waits until its table is there.</summary>
    /// <param name="options">The server, the table and the limits.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoConfigurationException">
    /// An option is out of range, or the table is not a store of this version. It was not changed.
    /// </exception>
    /// <exception cref="GeoUnavailableException">The server cannot be reached, or refuses.</exception>
    public static async Task<PostgresConditionalStore> OpenAsync(
        PostgresStoreOptions options, CancellationToken cancellationToken = default)
    {
        var store = new PostgresConditionalStore(options);
        try
        {
            await store._table.EnsureAsync(cancellationToken);
            return store;
        }
        catch (Exception e)
        {
            await store.DisposeAsync();
            throw IsTrouble(e) && e is not (GeoException or OperationCanceledException) ? Unreachable(options, e) : e;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        try
        {
            return await RunAsync(
                _statements.Read, [Bytes(HashOf(key))],
                static row => StoreRead.Found(row.GetFieldValue<byte[]>(0), ETagOf(row.GetInt64(1))), StoreRead.NotFound,
                cancellationToken);
        }
        catch (DbTrouble trouble)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return StoreRead.Unknown(trouble.Message);
        }
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        StoreLimits.CheckValue(key, value.Length, _options.MaxValueBytes, "PostgreSQL table", _options.Table);

        cancellationToken.ThrowIfCancellationRequested();
        var written = new NpgsqlParameter<ReadOnlyMemory<byte>> { TypedValue = value };
        if (expected is not { } etag)
        {
            return ChangeAsync(
                _statements.Insert, [Bytes(HashOf(key)), Bytes(Encoding.UTF8.GetBytes(key)), written], Applied, cancellationToken);
        }

        return TryParse(etag, out var version)
            ? ChangeAsync(_statements.Update, [Bytes(HashOf(key)), written, Number(version)], Applied, cancellationToken)
            : new(StoreWrite.Conflict);
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        return TryParse(expected, out var version)
            ? ChangeAsync(_statements.Delete, [Bytes(HashOf(key)), Number(version)], static _ => StoreWrite.Deleted, cancellationToken)
            : new(StoreWrite.Conflict);
    }

    /// <inheritdoc/>
    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        ListAsync(prefix, after: null, cancellationToken);

    /// <inheritdoc/>
    public async IAsyncEnumerable<StoreEntry> ListAsync(
        string prefix, string? after, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckPrefix(prefix);
        var from = Encoding.UTF8.GetBytes(prefix);
        var before = FirstAfter(from);
        var start = after is null ? from : Encoding.UTF8.GetBytes(after);
        var isFirst = start.AsSpan().SequenceCompareTo(from) <= 0 && after != prefix;
        for (from = isFirst ? from : start; ; isFirst = false)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var page = await PageAsync(from, before, isFirst, cancellationToken);
            foreach (var entry in page)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return entry;
            }

            if (page.Count == 0)
            {
                yield break;
            }

            from = Encoding.UTF8.GetBytes(page[^1].Key);
        }
    }

    /// <summary>Closes the connections.</summary>
    public ValueTask DisposeAsync() => _source.DisposeAsync();

    private async ValueTask<StoreWrite> ChangeAsync(
        string sql, NpgsqlParameter[] parameters, Func<NpgsqlDataReader, StoreWrite> applied, CancellationToken cancellationToken)
    {
        try
        {
            return await RunAsync(sql, parameters, applied, StoreWrite.Conflict, cancellationToken);
        }
        catch (DbTrouble trouble)
        {
            return StoreWrite.Unknown(trouble.Message);
        }
    }

    private async Task<List<StoreEntry>> PageAsync(byte[] from, byte[] before, bool isFirst, CancellationToken cancellationToken)
    {
        var page = new List<StoreEntry>();
        try
        {
            await RunAsync(
                _statements.Page, [Bytes(from), Bytes(before), new NpgsqlParameter<bool> { TypedValue = !isFirst }],
                row =>
                {
                    page.Add(new StoreEntry(
                        Encoding.UTF8.GetString(row.GetFieldValue<byte[]>(0)), row.GetFieldValue<byte[]>(1), ETagOf(row.GetInt64(2))));
                    return 0;
                },
                0,
                cancellationToken);
            return page;
        }
        catch (DbTrouble trouble)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw new GeoUnavailableException($"{_options} could not be listed: {trouble.Message}", trouble.InnerException);
        }
    }

    /// <summary>Runs one statement; its last row's reading, or what stands for no row.</summary>
    /// <exception cref="DbTrouble">Nothing is known of its effect.</exception>
    private async ValueTask<T> RunAsync<T>(
        string sql, NpgsqlParameter[] parameters, Func<NpgsqlDataReader, T> read, T none, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(_options.Timeout);
        try
        {
            if (Interlocked.Increment(ref _running) > _options.MaxOperations)
            {
                throw new DbTrouble($"{_options.MaxOperations} operations are under way at {_options} already", null);
            }

            await _table.EnsureAsync(limit.Token);
            await using var command = _source.CreateCommand(sql);
            command.Parameters.AddRange(parameters);
            command.CommandTimeout = 0;
            await using var rows = await command.ExecuteReaderAsync(limit.Token);
            var result = none;
            while (await rows.ReadAsync(limit.Token))
            {
                result = read(rows);
            }

            // The end of the statement, and with it the commit, is known once the server has said so behind the rows.
            await rows.NextResultAsync(limit.Token);
            return result;
        }
        catch (Exception e) when (IsTrouble(e))
        {
            throw new DbTrouble(e is OperationCanceledException ? $"{_options} did not answer in time" : e.Message, e);
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private static bool IsTrouble(Exception e) =>
        e is NpgsqlException or OperationCanceledException or TimeoutException or IOException or GeoConfigurationException;

    private static GeoUnavailableException Unreachable(PostgresStoreOptions options, Exception e) =>
        new($"{options} cannot be reached: {e.Message}", e);

    private static StoreWrite Applied(NpgsqlDataReader row) => StoreWrite.Applied(ETagOf(row.GetInt64(0)));

    private static NpgsqlParameter<byte[]> Bytes(byte[] bytes) => new() { TypedValue = bytes };

    private static NpgsqlParameter<long> Number(long number) => new() { TypedValue = number };

    private static byte[] HashOf(string key) => SHA256.HashData(Encoding.UTF8.GetBytes(key));

    private static ETag ETagOf(long version) => new(version.ToString(CultureInfo.InvariantCulture));

    private static bool TryParse(ETag etag, out long version) =>
        long.TryParse(etag.Value, NumberStyles.None, CultureInfo.InvariantCulture, out version) && ETagOf(version) == etag;

    /// <summary>The least byte string that is greater than all that start with the prefix.</summary>
    private static byte[] FirstAfter(byte[] prefix)
    {
        if (prefix.Length == 0)
        {
            return AfterEverything;
        }

        var after = prefix.ToArray();
        after[^1]++;
        return after;
    }

    /// <summary>The server did not do a statement, or did not say that it has.</summary>
    private sealed class DbTrouble(string message, Exception? cause) : Exception(message, cause);
}
