using System.Runtime.CompilerServices;
using System.Text;
using SQLitePCL;

namespace Geo.Storage.Sqlite;

/// <summary>
/// A conditional store in an SQLite file, which several processes of one machine may use at once. An applied write survives a crash
/// of the process and, by default, of the machine.
/// </summary>
/// <remarks>
/// Concurrent writes of one process share a transaction, so that a flush of the disk is paid once for many. A file that another process
/// holds beyond the busy time-out, a full disk and every other trouble with the file end as unknown.
/// </remarks>
public sealed class SqliteConditionalStore : IConditionalStore, IAsyncDisposable
{
    // Greater than any key: the byte does not occur in UTF-8.
    private static readonly byte[] AfterEverything = [0xff];

    private readonly SqliteStoreOptions _options;
    private readonly OperationQueue<WriteOperation> _writes;
    private readonly OperationQueue<IReadOperation> _reads;
    private readonly Task _ended;

    private SqliteConditionalStore(SqliteStoreOptions options)
    {
        _options = options;
        _writes = new(options.MaxQueued);
        _reads = new(options.MaxQueued);
        var writer = new BatchThread<WriteOperation>("Geo SQLite writer", _writes, options.MaxBatch, OpenForWriting);
        var readers = Enumerable.Range(1, options.Readers)
            .Select(i => new BatchThread<IReadOperation>($"Geo SQLite reader {i}", _reads, options.MaxBatch, OpenForReading))
            .ToArray();
        _ended = Task.WhenAll([writer.Ended, .. readers.Select(r => r.Ended)]);
    }

    /// <summary>Opens the store, and creates the file if there is none.</summary>
    /// <param name="options">The file and its limits.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoConfigurationException">
    /// An option is out of range; the file cannot be opened or written, is not a Geo store, or is one of another version. It was not
    /// changed.
    /// </exception>
    public static async Task<SqliteConditionalStore> OpenAsync(SqliteStoreOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        await Task.Run(() => Prepare(options), cancellationToken).WaitAsync(cancellationToken);
        return new SqliteConditionalStore(options);
    }

    /// <summary>As <see cref="OpenAsync"/>, and waits for the file on the calling thread: for hosts that make their services so.</summary>
    /// <param name="options">The file and its limits.</param>
    /// <exception cref="GeoConfigurationException">As from <see cref="OpenAsync"/>.</exception>
    public static SqliteConditionalStore Open(SqliteStoreOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        Prepare(options);
        return new SqliteConditionalStore(options);
    }

    /// <inheritdoc/>
    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        var read = new ReadOperation(Encoding.UTF8.GetBytes(key));
        return _reads.TryAdd(read) ? read.EndedAsync(cancellationToken) : new(StoreRead.Unknown(QueueIsFull("reads")));
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        StoreLimits.CheckValue(key, value.Length, _options.MaxValueBytes, "SQLite store", _options.Path);

        cancellationToken.ThrowIfCancellationRequested();
        long? version = null;
        if (expected is { } etag)
        {
            if (!Versions.TryParse(etag, out var parsed))
            {
                return new(StoreWrite.Conflict);
            }

            version = parsed;
        }

        return EnqueueAsync(new WriteOperation(Encoding.UTF8.GetBytes(key), value.ToArray(), version), cancellationToken);
    }

    /// <inheritdoc/>
    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default)
    {
        StoreLimits.CheckKey(key);
        cancellationToken.ThrowIfCancellationRequested();
        return Versions.TryParse(expected, out var version)
            ? EnqueueAsync(new WriteOperation(Encoding.UTF8.GetBytes(key), null, version), cancellationToken)
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
        byte[]? from = Encoding.UTF8.GetBytes(prefix);
        var before = FirstAfter(from);

        // The least key after another one is that with a zero byte more.
        var next = after is null ? [] : Encoding.UTF8.GetBytes(after + '\0');
        from = next.AsSpan().SequenceCompareTo(from) > 0 ? next : from;
        while (from is not null)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var list = new ListOperation(from, before);
            if (!_reads.TryAdd(list))
            {
                list.Fail(QueueIsFull("reads"));
            }

            var page = await list.EndedAsync(cancellationToken);
            foreach (var entry in page.Entries)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return entry;
            }

            from = page.Next;
        }
    }

    /// <summary>Ends what is queued and closes the file.</summary>
    public async ValueTask DisposeAsync()
    {
        _writes.Close();
        _reads.Close();
        await _ended;
    }

    private static void Prepare(SqliteStoreOptions options)
    {
        try
        {
            using var connection = SqliteConnection.Open(options, create: true);
            SqliteSchema.Prepare(connection, options.Path);
        }
        catch (SqliteFailure failure)
        {
            throw new GeoConfigurationException(
                $"SQLite store '{options.Path}' cannot be opened: {failure.Message}. " + failure.Code switch
                {
                    raw.SQLITE_NOTADB or raw.SQLITE_CORRUPT => "The file is not an SQLite database or is damaged; name another file.",
                    raw.SQLITE_BUSY or raw.SQLITE_LOCKED => "Another process holds it; stop that process or raise the busy time-out.",
                    _ => "Check that the directory exists and that this process may write there.",
                },
                failure);
        }
    }

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

    private ValueTask<StoreWrite> EnqueueAsync(WriteOperation write, CancellationToken cancellationToken) =>
        _writes.TryAdd(write) ? write.EndedAsync(cancellationToken) : new(StoreWrite.Unknown(QueueIsFull("writes")));

    private string QueueIsFull(string what) => $"{_options.MaxQueued} {what} are waiting for the SQLite file already";

    private WriteStatements OpenForWriting()
    {
        var connection = SqliteConnection.Open(_options, create: false);
        try
        {
            connection.Execute($"PRAGMA synchronous={(_options.Durability == SqliteDurability.Full ? "FULL" : "NORMAL")}");
            return new WriteStatements(connection);
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    private ReadStatements OpenForReading()
    {
        var connection = SqliteConnection.Open(_options, create: false);
        try
        {
            return new ReadStatements(connection);
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }
}
