using System.Diagnostics;
using System.Text.Json;
using TpcwMini.Options;

namespace TpcwMini.Processes;

/// <summary>
/// One process of the deployment: this program again, in another role. Ends with its parent, because its input then ends; is stopped
/// by its own id and no other.
/// </summary>
internal sealed class ChildProcess : IAsyncDisposable
{
    private readonly Process _process;
    private readonly ChildLog _log;
    private readonly Task _reading;
    private readonly SemaphoreSlim _asking = new(1);
    private readonly TaskCompletionSource<string> _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<string> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile TaskCompletionSource<string>? _answer;
    private volatile bool _mayEnd;

    private ChildProcess(string name, Process process, ChildLog log)
    {
        (Name, _process, _log) = (name, process, log);
        _process.ErrorDataReceived += (_, line) => _log.Add(line.Data);
        _process.BeginErrorReadLine();
        _reading = ReadAsync();
    }

    public string Name { get; }

    /// <summary>Ends with the reason when the process fails or ends by itself; never when it ends because it was asked to.</summary>
    public Task<string> Failed => _failed.Task;

    /// <summary>Processor time used so far.</summary>
    public TimeSpan ProcessorTime
    {
        get
        {
            try
            {
                _process.Refresh();
                return _process.TotalProcessorTime;
            }
            catch (InvalidOperationException)
            {
                // It has ended: what it used cannot be asked any more.
                return TimeSpan.Zero;
            }
        }
    }

    /// <summary>Starts the process and hands it its settings.</summary>
    public static ChildProcess Start<TSettings>(string name, string role, TSettings settings, ChildLog log)
    {
        var process = Process.Start(Executable.StartInfo(role))
            ?? throw new ChildFailedException($"The process of {name} could not be started.");
        process.StandardInput.AutoFlush = true;
        process.StandardInput.NewLine = "\n";
        var child = new ChildProcess(name, process, log);
        child.Say(JsonSerializer.Serialize(settings));
        return child;
    }

    /// <summary>Waits until the process serves, and gives what it reports.</summary>
    public async Task<TReport> ReadyAsync<TReport>(CancellationToken cancellationToken) => JsonSerializer.Deserialize<TReport>(
        await SaidAsync(_ready.Task, "was not ready", Defaults.StartPatience, cancellationToken))!;

    /// <summary>Asks the process for figures.</summary>
    public async Task<TAnswer> AskAsync<TAnswer>(CancellationToken cancellationToken)
    {
        await _asking.WaitAsync(cancellationToken);
        try
        {
            var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
            _answer = answer;
            Say(PipeWords.Ask);
            return JsonSerializer.Deserialize<TAnswer>(
                await SaidAsync(answer.Task, "did not give its figures", Defaults.ProcessPatience, cancellationToken))!;
        }
        finally
        {
            _asking.Release();
        }
    }

    /// <summary>Kills the process as a crash would: nothing is written, nobody is told.</summary>
    public async Task KillAsync()
    {
        _mayEnd = true;
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    /// <summary>Lets the process end in good order; kills it when that takes too long.</summary>
    public async Task StopAsync()
    {
        _mayEnd = true;
        if (_process.HasExited)
        {
            return;
        }

        Say(PipeWords.Stop);
        using var patience = new CancellationTokenSource(Defaults.ProcessPatience);
        try
        {
            await _process.WaitForExitAsync(patience.Token);
        }
        catch (OperationCanceledException)
        {
            _log.Add($"{Name} did not stop within {Defaults.ProcessPatience.TotalSeconds:0} s and was killed");
            _process.Kill();
        }
    }

    public async ValueTask DisposeAsync()
    {
        _mayEnd = true;
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        await _reading;
        _process.Dispose();
        _asking.Dispose();
    }

    /// <exception cref="ChildFailedException">The process failed, or did not say it in time.</exception>
    private async Task<string> SaidAsync(Task<string> said, string orElse, TimeSpan patience, CancellationToken cancellationToken)
    {
        try
        {
            var first = await Task.WhenAny(said, Failed).WaitAsync(patience, cancellationToken);
            return first == said ? await said : throw new ChildFailedException(await Failed);
        }
        catch (TimeoutException)
        {
            throw new ChildFailedException(
                $"The process of {Name} {orElse} within {patience.TotalSeconds} s; is the machine busy with something else?");
        }
    }

    private void Say(string line)
    {
        try
        {
            _process.StandardInput.WriteLine(line);
        }
        catch (IOException)
        {
            // It has ended; Failed or the exit says so to whoever waits.
        }
    }

    private async Task ReadAsync()
    {
        while (await _process.StandardOutput.ReadLineAsync() is { } line)
        {
            if (line.StartsWith(PipeWords.Ready, StringComparison.Ordinal))
            {
                _ready.TrySetResult(line[PipeWords.Ready.Length..]);
            }
            else if (line.StartsWith(PipeWords.Answer, StringComparison.Ordinal))
            {
                _answer?.TrySetResult(line[PipeWords.Answer.Length..]);
            }
            else if (line.StartsWith(PipeWords.Failed, StringComparison.Ordinal))
            {
                _failed.TrySetResult(line[PipeWords.Failed.Length..]);
            }
            else
            {
                _log.Add(line);
            }
        }

        await _process.WaitForExitAsync();
        if (!_mayEnd)
        {
            var last = _log.Last is { } said ? $": {said}" : "";
            _failed.TrySetResult($"The process of {Name} ended by itself with exit code {_process.ExitCode}{last}");
        }
    }
}
