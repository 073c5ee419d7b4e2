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
    private ChildProcess? _process;

    private SqliteSoakStore()
    {
    }

    public StoreAddress Address { get; private set; } = new(null, null);

    public static async Task<SqliteSoakStore> StartAsync(CancellationToken cancellationToken)
    {
        var store = new SqliteSoakStore();
        await store.StartAgainAsync(cancellationToken);
        return store;
    }

    public Task KillAsync() => _process!.KillAsync();

    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }

        _process = ChildProcess.Start(
            "store", ProgramStart.Of(typeof(SqliteSoakStore).Assembly, StoreRole.Name),
            new StoreSettings(StoreKind.Sqlite, _folder.File("books.db"), OperationsPerSecond, MaxQueued, _port), new ChildLog());
        Address = new StoreAddress(await _process.ReadyAsync<string>(cancellationToken), null);
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            await _process.StopAsync();
            await _process.DisposeAsync();
        }

        _folder.Dispose();
    }
}
