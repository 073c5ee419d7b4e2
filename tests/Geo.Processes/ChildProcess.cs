using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Geo.Processes;

/// <summary>
/// A program in another process, most often this one in another role. Ends with its parent, because its input then ends; is killed, frozen
/// and stopped by its own id and no other.
/// </summary>
public sealed class ChildProcess : IAsyncDisposable
{
    private static readonly TimeSpan StartPatience = TimeSpan.FromSeconds(90);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

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

    /// <summary>What messages call it.</summary>
    public string Name { get; }

    /// <summary>Ends with the reason when the process fails or ends by itself; never when it ends because it was asked to.</summary>
    public Task<string> Failed => _failed.Task;

    /// <summary>True once it has ended.</summary>
    public bool HasExited => _process.HasExited;

    /// <summary>True when every thread of the process has stopped, which comes a little after the signal. On Linux.</summary>
    public bool IsFrozen => System.IO.Directory.GetDirectories($"/proc/{_process.Id}/task").All(thread =>
        File.ReadAllText(Path.Combine(thread, "stat")).Split(") ")[^1].StartsWith('T'));

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

    /// <summary>Starts a process that is told everything by its arguments.</summary>
    /// <exception cref="ChildFailedException">It could not be started.</exception>
    public static ChildProcess Start(string name, ProcessStartInfo start, ChildLog log)
    {
        ArgumentNullException.ThrowIfNull(start);
        (start.RedirectStandardInput, start.RedirectStandardOutput, start.RedirectStandardError) = (true, true, true);
        var process = Process.Start(start) ?? throw new ChildFailedException($"The process of {name} could not be started.");
        process.StandardInput.AutoFlush = true;
        process.StandardInput.NewLine = "\n";
        return new ChildProcess(name, process, log);
    }

    /// <summary>Starts the process and hands it its settings.</summary>
    /// <exception cref="ChildFailedException">It could not be started.</exception>
    public static ChildProcess Start<TSettings>(string name, ProcessStartInfo start, TSettings settings, ChildLog log)
    {
        var child = Start(name, start, log);
        child.Say(JsonSerializer.Serialize(settings));
        return child;
    }

    /// <summary>Waits until the process serves, and gives what it reports.</summary>
    /// <exception cref="ChildFailedException">The process failed, or was not ready within 90 s.</exception>
    public async Task<TReport> ReadyAsync<TReport>(CancellationToken cancellationToken) => JsonSerializer.Deserialize<TReport>(
        await SaidAsync(_ready.Task, "was not ready", StartPatience, cancellationToken))!;

    /// <summary>Asks the process something; one question at a time, the others wait.</summary>
    /// <param name="question">What its role understands.</param>
    /// <param name="patience">How long the answer may take; 30 s where null.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ChildFailedException">The process failed, or gave no answer in time.</exception>
    public async Task<TAnswer> AskAsync<TQuestion, TAnswer>(
        TQuestion question, TimeSpan? patience = null, CancellationToken cancellationToken = default)
    {
        await _asking.WaitAsync(cancellationToken);
        try
        {
            var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
            _answer = answer;
            Say(PipeWords.Ask + JsonSerializer.Serialize(question));
            return JsonSerializer.Deserialize<TAnswer>(
                await SaidAsync(answer.Task, "did not answer", patience ?? Patience, cancellationToken))!;
        }
        finally
        {
            _asking.Release();
        }
    }

    /// <summary>Sends a signal: STOP freezes all threads of the process, CONT wakes them.</summary>
    /// <exception cref="ChildFailedException">It could not be sent.</exception>
    public async Task SignalAsync(string signal)
    {
        using var kill = Process.Start("kill", [$"-{signal}", _process.Id.ToString(CultureInfo.InvariantCulture)]);
        await kill.WaitForExitAsync();
        if (kill.ExitCode != 0)
        {
            throw new ChildFailedException($"The signal {signal} could not be sent to {Name}.");
        }
    }

    /// <summary>Kills the process as a crash would: nothing is written, nobody is told.</summary>
    public async Task KillAsync()
    {
        _mayEnd = true;
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    /// <summary>Waits until the process has ended by itself, at most for some time; it may go on.</summary>
    public async Task WaitAsync(TimeSpan limit)
    {
        _mayEnd = true;
        await _process.WaitForExitAsync().WaitAsync(limit).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
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
        await WaitAsync(Patience);
        if (!_process.HasExited)
        {
            _log.Add($"{Name} did not stop within {Patience.TotalSeconds:0} s and was killed");
            _process.Kill();
        }
    }

    /// <summary>Kills the process if it still runs.</summary>
    public async ValueTask DisposeAsync()
    {
        _mayEnd = true;
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        await _reading;

        // Whoever still waits for an answer now hears that there will be none, and gives the turn back before there is none to give.
        await _asking.WaitAsync();
        _process.Dispose();
        _asking.Dispose();
    }

    /// <exception cref="ChildFailedException">The process failed, or did not say it in time.</exception>
    private async Task<string> SaidAsync(Task<string> said, string orElse, TimeSpan patience, CancellationToken cancellationToken)
    {
        try
        {
            var first = await Task.WhenAny(said, Failed, _reading).WaitAsync(patience, cancellationToken);
            return first == said ? await said
                : Failed.IsCompleted ? throw new ChildFailedException(await Failed)
                : throw new ChildFailedException($"The process of {Name} was ended.");
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
