using System.Diagnostics;
using System.Globalization;

namespace Geo.Messaging.Tests;

/// <summary>A <see cref="ServerProgram"/> in a process of its own, whose memory is its own.</summary>
internal sealed class ServerProcess : IDisposable
{
    private readonly Process _process;

    private ServerProcess(Process process, PeerAddress address) => (_process, Address) = (process, address);

    /// <summary>Where it listens.</summary>
    public PeerAddress Address { get; }

    /// <summary>The most resident memory that it has had.</summary>
    public long PeakBytes
    {
        get
        {
            _process.Refresh();
            return _process.PeakWorkingSet64;
        }
    }

    public static async Task<ServerProcess> StartAsync(TlsOptions? tls)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true, RedirectStandardInput = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        {
            start.ArgumentList.Add("exec");
            start.ArgumentList.Add(typeof(ServerProcess).Assembly.Location);
        }

        // What it holds is measured, and not what a collector leaves lying where the processor's cache is as large as the bound: it takes
        // its measure from that cache.
        start.Environment["DOTNET_GCgen0size"] = "400000";
        start.ArgumentList.Add(ServerProgram.Command);
        foreach (var file in tls is null ? [] : new[] { tls.CertificateFile, tls.KeyFile, tls.AuthorityFile })
        {
            start.ArgumentList.Add(file);
        }

        var process = Process.Start(start)!;
        var port = await Eventually.InTimeAsync(process.StandardOutput.ReadLineAsync(Net.Token).AsTask());
        return new(process, PeerAddress.Loopback(int.Parse(port!, CultureInfo.InvariantCulture)));
    }

    /// <summary>What it has counted, by instrument and reason.</summary>
    public async Task<IReadOnlyDictionary<string, long>> CountsAsync()
    {
        await _process.StandardInput.WriteLineAsync();
        await _process.StandardInput.FlushAsync(Net.Token);
        var line = await Eventually.InTimeAsync(_process.StandardOutput.ReadLineAsync(Net.Token).AsTask());
        return line!.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(count => count.Split('='))
            .ToDictionary(count => count[0], count => long.Parse(count[1], CultureInfo.InvariantCulture));
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }
}
