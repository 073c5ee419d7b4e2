using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Geo.Messaging.Tests;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

[assembly: AssemblyFixture(typeof(Geo.Messaging.Amqp.Tests.Broker))]

namespace Geo.Messaging.Amqp.Tests;

/// <summary>
/// A RabbitMQ broker of the tests' own: its own ports, its own directory, its own port mapper, so that it meets no other on the machine.
/// Where RabbitMQ is not installed nothing is started and the tests are skipped.
/// </summary>
public sealed class Broker : IAsyncLifetime
{
    private const string Server = "/usr/lib/rabbitmq/bin/rabbitmq-server";

    private static readonly TimeSpan StartTimeout = TimeSpan.FromMinutes(3);

    private readonly TestAuthority _authority = new();
    private readonly List<Process> _processes = [];
    private DirectoryInfo? _directory;

    public IPEndPoint ListensOn { get; private set; } = new(IPAddress.Loopback, 0);

    /// <summary>Where it speaks TLS.</summary>
    public int SecurePort { get; private set; }

    /// <summary>The authority that signed its certificate, which the machine does not know.</summary>
    public string AuthorityFile => _authority.PathOf("authority.pem");

    /// <summary>Skips the test where there is no broker to start.</summary>
    public static void Require() =>
        Assert.SkipUnless(File.Exists(Server), $"RabbitMQ is not installed ({Server} is not there): install the package rabbitmq-server.");

    public static Uri AddressBy(int port) => new($"amqp://guest:guest@127.0.0.1:{port}/");

    public async ValueTask InitializeAsync()
    {
        if (!File.Exists(Server))
        {
            return;
        }

        _directory = System.IO.Directory.CreateTempSubdirectory("geo-rabbitmq-");
        var (amqp, secure, distribution, mapper) = FreePorts();
        (ListensOn, SecurePort) = (new IPEndPoint(IPAddress.Loopback, amqp), secure);
        var tls = _authority.Issue("broker", peer: "");
        await File.WriteAllTextAsync(Path.Combine(_directory.FullName, "rabbitmq.conf"), $"""
            listeners.ssl.default = 127.0.0.1:{secure}
            ssl_options.cacertfile = {tls.AuthorityFile}
            ssl_options.certfile = {tls.CertificateFile}
            ssl_options.keyfile = {tls.KeyFile}
            ssl_options.verify = verify_none

            """);
        var environment = new Dictionary<string, string>
        {
            ["HOME"] = _directory.FullName,
            ["ERL_EPMD_PORT"] = $"{mapper}",
            ["ERL_EPMD_ADDRESS"] = "127.0.0.1",
            ["RABBITMQ_NODENAME"] = $"geo{amqp}@localhost",
            ["RABBITMQ_NODE_IP_ADDRESS"] = "127.0.0.1",
            ["RABBITMQ_NODE_PORT"] = $"{amqp}",
            ["RABBITMQ_DIST_PORT"] = $"{distribution}",
            ["RABBITMQ_MNESIA_BASE"] = _directory.FullName,
            ["RABBITMQ_LOG_BASE"] = _directory.FullName,
            ["RABBITMQ_PID_FILE"] = Path.Combine(_directory.FullName, "pid"),
            ["RABBITMQ_ENABLED_PLUGINS_FILE"] = Path.Combine(_directory.FullName, "plugins"),
            ["RABBITMQ_CONF_ENV_FILE"] = Path.Combine(_directory.FullName, "no-settings"),
            ["RABBITMQ_CONFIG_FILE"] = Path.Combine(_directory.FullName, "rabbitmq"),
        };

        // Without one of its own the broker would start one that stays behind.
        Start("epmd", environment);
        Start(Server, environment);
        await UntilItAnswersAsync();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var process in Enumerable.Reverse(_processes))
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync();
            process.Dispose();
        }

        _directory?.Delete(recursive: true);
        _authority.Dispose();
    }

    private static (int Amqp, int Secure, int Distribution, int Mapper) FreePorts()
    {
        var listeners = Enumerable.Range(0, 4).Select(_ => new TcpListener(IPAddress.Loopback, 0)).ToList();
        listeners.ForEach(listener => listener.Start());
        var ports = listeners.Select(listener => ((IPEndPoint)listener.LocalEndpoint).Port).ToList();
        listeners.ForEach(listener => listener.Dispose());
        return (ports[0], ports[1], ports[2], ports[3]);
    }

    private void Start(string program, Dictionary<string, string> environment)
    {
        var start = new ProcessStartInfo(program)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = _directory!.FullName,
        };
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        var process = Process.Start(start)!;
        process.OutputDataReceived += static (_, _) => { };
        process.ErrorDataReceived += static (_, _) => { };
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        _processes.Add(process);
    }

    private async Task UntilItAnswersAsync()
    {
        var watch = Stopwatch.StartNew();
        while (true)
        {
            try
            {
                await using var connection = await new ConnectionFactory { Uri = AddressBy(ListensOn.Port) }.CreateConnectionAsync();
                return;
            }
            catch (Exception e) when (
                (e is RabbitMQClientException or IOException) && watch.Elapsed < StartTimeout && !_processes[^1].HasExited)
            {
                await Task.Delay(100);
            }
        }
    }
}
