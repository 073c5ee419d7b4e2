using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Geo.Storage.Postgres.Tests;

[assembly: AssemblyFixture(typeof(PostgresServer))]

namespace Geo.Storage.Postgres.Tests;

/// <summary>
/// A PostgreSQL server for the tests of this assembly, with data of its own: started by the first that asks, ended with the last. It takes
/// few connections, so that tests can run out of them.
/// </summary>
public sealed class PostgresServer : IAsyncDisposable
{
    /// <summary>The connections that the server takes, three for administrators among them.</summary>
    public const int MaxConnections = 20;

    private const string Administrator = "postgres";
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private readonly Lazy<Task<string?>> _started;
    private readonly string _folder = System.IO.Directory.CreateTempSubdirectory("geo-postgres-").FullName;
    private readonly int _port = FreePort();
    private string? _programs;

    public PostgresServer() => _started = new(StartAsync);

    private string Data => Path.Combine(_folder, "data");

    /// <summary>Options for a table in it. The calling test is skipped where PostgreSQL is not installed.</summary>
    public async Task<PostgresStoreOptions> OptionsAsync(string? table = null)
    {
        if (await _started.Value is { } reason)
        {
            TestContext.Current.SendDiagnosticMessage(reason);
            Assert.Skip(reason);
        }

        return new PostgresStoreOptions
        {
            ConnectionString = $"Host=127.0.0.1;Port={_port};Username={Administrator};Database=postgres;Maximum Pool Size=6;Timeout=10",
            Table = table ?? $"t{Guid.NewGuid():N}",
        };
    }

    /// <summary>Ends the server as a crash would, in the middle of whatever it does.</summary>
    public Task KillAsync() => RunAsync("pg_ctl", "-s", "-D", Data, "-m", "immediate", "-w", "stop");

    /// <summary>Starts it again; it brings back what was committed.</summary>
    public Task RestartAsync() => RunAsync(
        "pg_ctl", "-s", "-D", Data, "-l", Path.Combine(_folder, "log"), "-w", "-t", "100", "-o",
        $"-p {_port} -h 127.0.0.1 -k {_folder} -c max_connections={MaxConnections}", "start");

    /// <summary>Breaks all connections of clients.</summary>
    public Task CutAsync() => RunAsync(
        "psql", "-h", "127.0.0.1", "-p", $"{_port}", "-d", "postgres", "-q", "-o", "/dev/null", "-c",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");

    public async ValueTask DisposeAsync()
    {
        if (_started.IsValueCreated && await _started.Value is null)
        {
            await KillAsync();
        }

        System.IO.Directory.Delete(_folder, recursive: true);
    }

    private async Task<string?> StartAsync()
    {
        const string installed = "/usr/lib/postgresql";
        _programs = System.IO.Directory.Exists(installed)
            ? System.IO.Directory.GetDirectories(installed).Select(version => Path.Combine(version, "bin"))
                .Where(bin => File.Exists(Path.Combine(bin, "initdb"))).Order(StringComparer.Ordinal).LastOrDefault()
            : null;
        if (_programs is null)
        {
            return $"PostgreSQL is not installed: there is no {installed}/*/bin/initdb.";
        }

        if (Environment.UserName == "root")
        {
            // The server refuses to run as root.
            await RunAsync(new ProcessStartInfo("chown", [Administrator, _folder]));
        }

        await RunAsync("pg_ctl", "-s", "-D", Data, "-o", $"-U {Administrator} -A trust -E UTF8 --locale=C -N", "initdb");
        await RestartAsync();
        return null;
    }

    private Task RunAsync(string program, params string[] arguments)
    {
        var path = Path.Combine(_programs!, program);
        return RunAsync(Environment.UserName == "root"
            ? new ProcessStartInfo("runuser", ["-u", Administrator, "--", path, .. arguments])
            : new ProcessStartInfo(path, arguments));
    }

    // Its output is not read: the server that pg_ctl leaves behind would hold the pipe open.
    private async Task RunAsync(ProcessStartInfo start)
    {
        start.WorkingDirectory = _folder;
        using var limit = new CancellationTokenSource(Limit);
        using var process = Process.Start(start)!;
        await process.WaitForExitAsync(limit.Token);
        Assert.True(process.ExitCode == 0, $"{start.FileName} {string.Join(' ', start.ArgumentList)} ended with {process.ExitCode}.");
    }

    private static int FreePort()
    {
        using var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }
}
