using Geo.Processes.Stores;

namespace Geo.Experiments.Soak.Stores;

/// <summary>A PostgreSQL server, which is stopped at once and started again.</summary>
internal sealed class PostgresSoakStore : ISoakStore
{
    private const int MostLastWords = 20;

    private readonly PostgresServer _server;
    private bool _isDown;

    private PostgresSoakStore(PostgresServer server) => _server = server;

    public StoreAddress Address => new(null, _server.Options("books"));

    public IReadOnlyList<string> LastWords => _server.LastLines(MostLastWords);

    public static async Task<PostgresSoakStore> StartAsync() => new(await PostgresServer.StartAsync());

    public string? TakeFailure() => null;

    public async Task<bool> KillAsync()
    {
        if (_isDown)
        {
            return false;
        }

        _isDown = true;
        await _server.KillAsync();
        return true;
    }

    public async Task StartAgainAsync(CancellationToken cancellationToken)
    {
        if (_isDown)
        {
            await _server.RestartAsync();
            _isDown = false;
        }
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
