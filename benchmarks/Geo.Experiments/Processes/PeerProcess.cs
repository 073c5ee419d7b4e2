using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text.Json;
using Geo.Experiments.Messaging;
using Geo.Experiments.Networks;

namespace Geo.Experiments.Processes;

/// <summary>A process that is one peer of an experiment, at its place on the network. Ends when it is disposed of.</summary>
internal sealed class PeerProcess : IAsyncDisposable
{
    private static readonly TimeSpan StartPatience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan EndPatience = TimeSpan.FromSeconds(5);

    private readonly Process _process;
    private readonly string _name;
    private string _lastError = "";

    private PeerProcess(Process process, string name)
    {
        (_process, _name) = (process, name);
        _process.ErrorDataReceived += (_, line) => _lastError = string.IsNullOrWhiteSpace(line.Data) ? _lastError : line.Data;
        _process.BeginErrorReadLine();
    }

    /// <summary>Starts the peer and hands it its settings.</summary>
    public static PeerProcess Start(IExperimentNetwork network, PeerSettings settings)
    {
        var start = settings.Variant.Stack == Stack.Orleans
            ? OwnProgram.DotNet(OrleansPeer.Assembly ?? throw new PeerFailedException(OrleansPeer.Absence), PeerRole.Name)
            : OwnProgram.With(PeerRole.Name);
        (start.RedirectStandardInput, start.RedirectStandardOutput, start.RedirectStandardError) = (true, true, true);
        var name = $"peer {settings.Index}";
        var process = Process.Start(network.At(settings.Index, start))
            ?? throw new PeerFailedException($"The process of {name} did not start.");
        process.StandardInput.AutoFlush = true;
        var peer = new PeerProcess(process, name);
        peer.Say(JsonSerializer.Serialize(settings));
        return peer;
    }

    /// <summary>Waits until the peer listens.</summary>
    /// <returns>Its port.</returns>
    public async Task<int> ListeningAsync(CancellationToken cancellationToken) =>
        int.Parse(await ExpectAsync(PeerWords.Listening, StartPatience, cancellationToken), CultureInfo.InvariantCulture);

    /// <summary>Tells the peer where all of them are; it then does its part.</summary>
    public void Go(IEnumerable<IPEndPoint> addresses) => Say(JsonSerializer.Serialize(addresses.Select(address => address.ToString())));

    /// <summary>Waits for the peer's figures.</summary>
    public async Task<PeerFigures> ResultAsync(TimeSpan patience, CancellationToken cancellationToken) =>
        JsonSerializer.Deserialize<PeerFigures>(await ExpectAsync(PeerWords.Result, patience, cancellationToken))!;

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        try
        {
            await _process.WaitForExitAsync().WaitAsync(EndPatience);
        }
        catch (TimeoutException)
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    private async Task<string> ExpectAsync(string word, TimeSpan patience, CancellationToken cancellationToken)
    {
        try
        {
            while (await _process.StandardOutput.ReadLineAsync(cancellationToken).AsTask()
                .WaitAsync(patience, cancellationToken) is { } line)
            {
                if (line.StartsWith(word, StringComparison.Ordinal))
                {
                    return line[word.Length..];
                }

                if (line.StartsWith(PeerWords.Failed, StringComparison.Ordinal))
                {
                    throw new PeerFailedException($"{_name}: {line[PeerWords.Failed.Length..]}");
                }
            }
        }
        catch (TimeoutException)
        {
            throw new PeerFailedException($"{_name} said nothing for {patience.TotalSeconds:0} s. {_lastError}");
        }

        throw new PeerFailedException($"{_name} ended by itself. {_lastError}");
    }

    private void Say(string line)
    {
        try
        {
            _process.StandardInput.WriteLine(line);
        }
        catch (IOException)
        {
            // It has ended; whoever waits for its words learns why.
        }
    }
}
