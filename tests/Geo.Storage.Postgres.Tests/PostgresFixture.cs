using Geo.Processes.Stores;
using Geo.Storage.Postgres.Tests;

[assembly: AssemblyFixture(typeof(PostgresFixture))]

namespace Geo.Storage.Postgres.Tests;

/// <summary>The server of this assembly's tests: started by the first that asks, ended with the last.</summary>
public sealed class PostgresFixture : IAsyncDisposable
{
    private readonly Lazy<Task<PostgresServer>> _started = new(PostgresServer.StartAsync);

    /// <summary>Options for a table in it. The calling test is skipped where PostgreSQL is not installed.</summary>
    public async Task<PostgresStoreOptions> OptionsAsync(string? table = null)
    {
        if (PostgresServer.Absence is { } reason)
        {
            TestContext.Current.SendDiagnosticMessage(reason);
            Assert.Skip(reason);
        }

        return (await _started.Value).Options(table ?? $"t{Guid.NewGuid():N}");
    }

    public async Task KillAsync() => await (await _started.Value).KillAsync();

    public async Task RestartAsync() => await (await _started.Value).RestartAsync();

    public async Task CutAsync() => await (await _started.Value).CutAsync();

    public async ValueTask DisposeAsync()
    {
        if (_started.IsValueCreated)
        {
            await (await _started.Value).DisposeAsync();
        }
    }
}
