using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Geo.Storage.AzureTables.Tests.Azurite;

[assembly: AssemblyFixture(typeof(AzuriteServer))]

namespace Geo.Storage.AzureTables.Tests.Azurite;

/// <summary>Azurite's table service for the tests of this assembly, started by the first that asks, ended with the last.</summary>
public sealed class AzuriteServer : IAsyncDisposable
{
    private const string Account = "devstoreaccount1";
    private const string Key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    // Ends with the tests however they end: their process holds the other end of its input.
    private const string Launcher = "process.stdin.on('end', () => process.exit(0)).resume(); require(process.argv[2]);";

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    private readonly Lazy<Task<string?>> _started;
    private readonly string _folder = System.IO.Directory.CreateTempSubdirectory("geo-azurite-").FullName;
    private Process? _process;
    private int _port;

    public AzuriteServer() => _started = new(StartAsync);

    /// <summary>Options for a table in it. The calling test is skipped where Azurite cannot be installed.</summary>
    public async Task<AzureTableStoreOptions> OptionsAsync(string? table = null)
    {
        if (await _started.Value is { } reason)
        {
            TestContext.Current.SendDiagnosticMessage($"Azurite is not there: {reason}");
            Assert.Skip($"Azurite is not there: {reason}");
        }

        return new AzureTableStoreOptions
        {
            Endpoint = new Uri($"http://127.0.0.1:{_port}/{Account}"),
            Table = table ?? $"t{Guid.NewGuid():N}",
            SharedKey = new AzureTableSharedKey(Account, Key),
            Timeout = TimeSpan.FromSeconds(30),
        };
    }

    /// <summary>The same with a shared access signature of the account that Azurite checks, for some permissions.</summary>
    public async Task<AzureTableStoreOptions> SignedOptionsAsync(string permissions)
    {
        const string version = "2019-02-02";
        var expiry = DateTimeOffset.UtcNow.AddHours(1).ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture);
        var text = $"{Account}\n{permissions}\nt\nsco\n\n{expiry}\n\n\n{version}\n";
        var signature = Convert.ToBase64String(HMACSHA256.HashData(Convert.FromBase64String(Key), Encoding.UTF8.GetBytes(text)));
        return await OptionsAsync() with
        {
            SharedKey = null,
            SharedAccessSignature =
                $"?sv={version}&ss=t&srt=sco&sp={permissions}&se={Uri.EscapeDataString(expiry)}&sig={Uri.EscapeDataString(signature)}",
        };
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync();
            _process.Dispose();
        }

        System.IO.Directory.Delete(_folder, recursive: true);
    }

    private async Task<string?> StartAsync()
    {
        var (script, reason) = await AzuriteInstallation.EnsureAsync();
        if (script is null)
        {
            return reason;
        }

        var launcher = Path.Combine(_folder, "launch.js");
        await File.WriteAllTextAsync(launcher, Launcher);
        _port = FreePort();
        var start =
            new ProcessStartInfo("node") { RedirectStandardInput = true, RedirectStandardOutput = true, WorkingDirectory = _folder };
        string[] arguments =
        [
            launcher, script, "--tableHost", "127.0.0.1", "--tablePort", $"{_port}", "--inMemoryPersistence", "--silent",
            "--disableTelemetry",
        ];
        foreach (var argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        _process = Process.Start(start)!;
        using var limit = new CancellationTokenSource(Limit);
        while (await _process.StandardOutput.ReadLineAsync(limit.Token) is { } line)
        {
            if (line.Contains("successfully", StringComparison.Ordinal))
            {
                _ = _process.StandardOutput.ReadToEndAsync();
                return null;
            }
        }

        throw new InvalidOperationException("Azurite ended before it was ready.");
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
