using System.Diagnostics;
using System.Net.Sockets;
using Geo.Processes;
using Geo.Testing.Wan;
using StackExchange.Redis;

namespace Geo.Experiments.Lattices.Redis;

/// <summary>A Redis server of Debian's package on a free port of this machine, in memory alone.</summary>
internal sealed class RedisServer : IAsyncDisposable
{
    private const string Program = "/usr/bin/redis-server";
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private readonly Process _server;
    private readonly Process _guard;

    private RedisServer(int port)
    {
        Port = port;
        _server = Process.Start(
            Program, ["--port", $"{port}", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--logfile", "/dev/null"]);

        // An experiment that is killed leaves no server behind.
        _guard = Process.Start(
            "sh", ["-c", $"while [ -d /proc/{Environment.ProcessId} ]; do sleep 1; done; kill {_server.Id}"]);
    }

    /// <summary>Why there can be no server on this machine; null where there can.</summary>
    public static string? Absence => File.Exists(Program) ? null : $"there is no {Program} (Debian's package redis-server)";

    /// <summary>The port.</summary>
    public int Port { get; }

    /// <summary>Processor time that the server has used.</summary>
    public TimeSpan ProcessorTime
    {
        get
        {
            _server.Refresh();
            return _server.TotalProcessorTime;
        }
    }

    /// <summary>Starts it and waits until it takes connections.</summary>
    /// <exception cref="ChildFailedException">It is not installed, or does not start.</exception>
    public static async Task<RedisServer> StartAsync(CancellationToken cancellationToken)
    {
        var server = Absence is { } reason ? throw new ChildFailedException(reason) : new RedisServer(FreePorts.Take(1)[0]);
        var began = Stopwatch.GetTimestamp();
        while (!server.TryConnect())
        {
            if (server._server.HasExited || Stopwatch.GetElapsedTime(began) > Limit)
            {
                await server.DisposeAsync();
                throw new ChildFailedException($"{Program} takes no connections.");
            }

            await Task.Delay(TimeSpan.FromMilliseconds(20), cancellationToken);
        }

        return server;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var process in (Process[])[_guard, _server])
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync();
            process.Dispose();
        }
    }

    /// <summary>A connection for commands alone.</summary>
    public Task<ConnectionMultiplexer> ConnectAsync() => ConnectionMultiplexer.ConnectAsync(new ConfigurationOptions
    {
        EndPoints = { { "127.0.0.1", Port } },
        AllowAdmin = true,
        CommandMap = CommandMap.Create(["SUBSCRIBE"], available: false),
    });

    private bool TryConnect()
    {
        try
        {
            using var client = new TcpClient("127.0.0.1", Port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
