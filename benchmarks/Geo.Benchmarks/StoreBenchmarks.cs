using BenchmarkDotNet.Attributes;
using Geo.Storage.Sqlite;

namespace Geo.Benchmarks;

/// <summary>One operation of a store: in memory, and in a file whose writes outlive a power cut.</summary>
[MemoryDiagnoser]
public class StoreBenchmarks
{
    private const int Together = 64;

    private readonly byte[] _value = new byte[100];
    private readonly string[] _keys = [.. Enumerable.Range(0, Together).Select(number => $"gsi/cart/{number}")];
    private readonly ETag[] _etags = new ETag[Together];
    private readonly Task<StoreWrite>[] _writes = new Task<StoreWrite>[Together];
    private string _folder = "";
    private IConditionalStore _store = null!;

    [Params("memory", "SQLite")]
    public string Store { get; set; } = "";

    // Synchronous: in this process nobody waits for a task of a setup.
    [GlobalSetup]
    public void Open() => OpenAsync().GetAwaiter().GetResult();

    private async Task OpenAsync()
    {
        _folder = System.IO.Directory.CreateTempSubdirectory("geo-benchmarks-").FullName;
        _store = Store == "memory"
            ? new InMemoryConditionalStore()
            : await SqliteConditionalStore.OpenAsync(new SqliteStoreOptions { Path = Path.Combine(_folder, "rows.db") });
        for (var i = 0; i < Together; i++)
        {
            _etags[i] = Applied(await _store.WriteAsync(_keys[i], _value, null));
        }
    }

    [GlobalCleanup]
    public void Close() => CloseAsync().GetAwaiter().GetResult();

    private async Task CloseAsync()
    {
        if (_store is IAsyncDisposable store)
        {
            await store.DisposeAsync();
        }

        System.IO.Directory.Delete(_folder, recursive: true);
    }

    [Benchmark]
    public async Task<bool> ReadAsync() => (await _store.ReadAsync(_keys[0])).Outcome == StoreReadOutcome.Found
        ? true
        : throw new InvalidOperationException("The row is gone.");

    /// <summary>A compare-and-swap, one after the other.</summary>
    [Benchmark]
    public async Task WriteAsync() => _etags[0] = Applied(await _store.WriteAsync(_keys[0], _value, _etags[0]));

    /// <summary>64 of different keys under way at once: SQLite commits those that wait together.</summary>
    [Benchmark(OperationsPerInvoke = Together)]
    public async Task WriteTogetherAsync()
    {
        for (var i = 0; i < Together; i++)
        {
            _writes[i] = _store.WriteAsync(_keys[i], _value, _etags[i]).AsTask();
        }

        for (var i = 0; i < Together; i++)
        {
            _etags[i] = Applied(await _writes[i]);
        }
    }

    private static ETag Applied(StoreWrite write) => write.Outcome == StoreWriteOutcome.Applied
        ? write.ETag!.Value
        : throw new InvalidOperationException($"A write was not applied: {write.Outcome}, {write.Reason}");
}
