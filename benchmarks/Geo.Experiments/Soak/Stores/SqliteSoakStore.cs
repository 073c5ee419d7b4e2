using System.Collections.Concurrent;
using Geo.Processes;
using Geo.Processes.Stores;
using Geo.Testing.Wan;

namespace Geo.Experiments.Soak.Stores;

/// <summary>A process with an SQLite file, which is killed and started where it was.</summary>
internal sealed class SqliteSoakStore : ISoakStore
{
    private const int OperationsPerSecond = 1_000_000;
    private const int MaxQueued = 10_000;

    private readonly TemporaryFolder _folder = new();
    private readonly int _port = FreePorts.Take(1)[0];
    private readonly ConcurrentQueue<string> _failures = [];
    private readonly ChildLog _log;
    private ChildProcess? _process;

    private SqliteSoakStore(string logFolder) => _log = new ChildLog(Path.Combine(logFolder, "store.log"));

    public StoreAddress Address { get; private set; } = new(null, null);

    public IReadOnlyList<string> LastWords => _log.LastLines;

    public static async Task<SqliteSoakStore> StartAsync(string logFolder, CancellationToken cancellationToken)
    {
        var store = new SqliteSoakStore(logFolder);
        try
        {
            await store.StartAgainAsync(cancellationToken);
            return store;
        }
        catch
        {
            await store.DisposeAsync();
            throw;
        }
    }

    public string? TakeFailure() => _failures.TryDequeue(out var reason) ? reason : null;

    public async Task<bool> KillAsync()
    {
        if (_process is not { HasExited: false } process)
        {
            return false;
        }

        await process.KillAsync();
        return true;
    }

    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        if (Interlocked.Exchange(ref _process, null) is { } before)
        {
            await before.DisposeAsync();
        }

        var process = _process = ChildProcess.Start(
            "the store", ProgramStart.Of(typeof(SqliteSoakStore).Assembly, StoreRole.Name),
            new StoreSettings(StoreKind.Sqlite, _folder.File("books.db"), OperationsPerSecond, MaxQueued, _port), _log);
        Address = new StoreAddress(await process.ReadyAsync<string>(cancellationToken), null);
        _ = KeepFailureAsync(process);
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is { } process)
        {
            await process.StopAsync();
            await process.DisposeAsync();
        }

        _log.Dispose();
        _folder.Dispose();
    }

    private async Task KeepFailureAsync(ChildProcess process) => _failures.Enqueue(await process.Failed);
}
