using System.Diagnostics;
using Geo.Storage.Postgres;
using Geo.Testing.Wan;

namespace Geo.Processes.Stores;

/// <summary>
/// A PostgreSQL server with data of its own, from the programs of Debian's package. It takes few connections, so that tests can run out of
/// them.
/// </summary>
public sealed class PostgresServer : IAsyncDisposable
{
    /// <summary>The connections that the server takes, three for administrators among them.</summary>
    public const int MaxConnections = 20;

    private const string Installed = "/usr/lib/postgresql";
    private const string Administrator = "postgres";
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private readonly string _folder = System.IO.Directory.CreateTempSubdirectory("geo-postgres-").FullName;
    private readonly int _port = FreePorts.Take(1)[0];
    private readonly string _programs;
    private readonly Process _guard;

    private PostgresServer(string programs) => (_programs, _guard) = (programs, StartGuard());

    /// <summary>Why there can be no server on this machine; null where there can.</summary>
    public static string? Absence =>
        Programs() is null ? $"PostgreSQL is not installed: there is no {Installed}/*/bin/initdb." : null;

    /// <summary>The end of what the server wrote, at most so many lines.</summary>
    public IReadOnlyList<string> LastLines(int most) => File.Exists(Log) ? [.. File.ReadLines(Log).TakeLast(most)] : [];

    private string Log => Path.Combine(_folder, "log");

    private string Data => Path.Combine(_folder, "data");

    private string[] Connection => ["-h", "127.0.0.1", "-p", $"{_port}"];

    /// <summary>Makes the data and starts the server.</summary>
    /// <exception cref="ChildFailedException">PostgreSQL is not installed, or one of its programs failed.</exception>
    public static async Task<PostgresServer> StartAsync()
    {
        var server = new PostgresServer(Programs() ?? throw new ChildFailedException(Absence!));
        if (Environment.UserName == "root")
        {
            // The server refuses to run as root.
            await server.RunAsync(new ProcessStartInfo("chown", [Administrator, server._folder]));
        }

        await server.RunAsync(
            "pg_ctl", "-s", "-D", server.Data, "-o", $"-U {Administrator} -A trust -E UTF8 --locale=C -N", "initdb");
        await server.RestartAsync();
        return server;
    }

    /// <summary>Options for a table in it.</summary>
    public PostgresStoreOptions Options(string table) => new()
    {
        ConnectionString = $"Host=127.0.0.1;Port={_port};Username={Administrator};Database=postgres;Maximum Pool Size=6;Timeout=10",
        Table = table,
    };

    /// <summary>Ends the server as a crash would, in the middle of whatever it does.</summary>
    public Task KillAsync() => RunAsync("pg_ctl", "-s", "-D", Data, "-m", "immediate", "-w", "stop");

    /// <summary>Starts it again; it brings back what was committed.</summary>
    public Task RestartAsync() => RunAsync(
        "pg_ctl", "-s", "-D", Data, "-l", Log, "-w", "-t", "100", "-o",
        $"-p {_port} -h 127.0.0.1 -k {_folder} -c max_connections={MaxConnections}", "start");

    /// <summary>Breaks all connections of clients.</summary>
    public Task CutAsync() => RunAsync(
        "psql",
        [
            .. Connection, "-d", "postgres", "-q", "-o", "/dev/null", "-c",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
        ]);

    /// <summary>Backs the database up into a file of the server's folder, as docs/operations.md says.</summary>
    public Task BackUpAsync(string file) => RunAsync("pg_dump", [.. Connection, "-Fc", "-f", Path.Combine(_folder, file), "postgres"]);

    /// <summary>Restores the database from such a file, as docs/operations.md says.</summary>
    public Task RestoreAsync(string file) => RunAsync(
        "pg_restore", [.. Connection, "-d", "postgres", "--clean", "--if-exists", "--single-transaction", Path.Combine(_folder, file)]);

    /// <summary>Ends the server, if it runs, and deletes its data.</summary>
    public async ValueTask DisposeAsync()
    {
        if (File.Exists(Path.Combine(Data, "postmaster.pid")))
        {
            await KillAsync();
        }

        _guard.Kill();
        _guard.Dispose();
        System.IO.Directory.Delete(_folder, recursive: true);
    }

    // The server is no child of this process: one that is killed would leave it behind.
    private Process StartGuard() => Process.Start(
        "sh",
        [
            "-c",
            $"trap '' INT; while [ -d /proc/{Environment.ProcessId} ]; do sleep 1; done; "
            + $"kill -QUIT $(head -n 1 '{Data}/postmaster.pid'); rm -rf '{_folder}'",
        ]);

    private static string? Programs() => System.IO.Directory.Exists(Installed)
        ? System.IO.Directory.GetDirectories(Installed).Select(version => Path.Combine(version, "bin"))
            .Where(bin => File.Exists(Path.Combine(bin, "initdb"))).Order(StringComparer.Ordinal).LastOrDefault()
        : null;

    private Task RunAsync(string program, params string[] arguments)
    {
        var path = Path.Combine(_programs, program);
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
        if (process.ExitCode != 0)
        {
            throw new ChildFailedException(
                $"{start.FileName} {string.Join(' ', start.ArgumentList)} ended with {process.ExitCode}.");
        }
    }
}
