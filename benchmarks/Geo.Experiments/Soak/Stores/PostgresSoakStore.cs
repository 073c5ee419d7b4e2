using Geo.Processes.Stores;

namespace Geo.Experiments.Soak.Stores;

/// <summary>A PostgreSQL server, which is stopped at once and started again.</summary>
internal sealed class PostgresSoakStore : ISoakStore
{
    private readonly PostgresServer _server;

    private PostgresSoakStore(PostgresServer server) => _server = server;

    public StoreAddress Address => new(null, _server.Options("books"));

    public static async Task<PostgresSoakStore> StartAsync() => new(await PostgresServer.StartAsync());

    public Task KillAsync() => _server.KillAsync();

    public Task StartAgainAsync(CancellationToken cancellationToken) => _server.RestartAsync();

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
