using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;

namespace Geo.Orleans.Tests.Processes;

/// <summary>This program once more, in another process that can be frozen and woken.</summary>
internal sealed class ChildProcess : IAsyncDisposable
{
    private readonly Process _process;
    private readonly ConcurrentQueue<string> _output = new();

    private ChildProcess(Process process) => _process = process;

    /// <summary>True when every thread of the process has stopped, which comes a little after the signal.</summary>
    public bool IsStopped => System.IO.Directory.GetDirectories($"/proc/{_process.Id}/task").All(thread =>
        File.ReadAllText(Path.Combine(thread, "stat")).Split(") ")[^1].StartsWith('T'));

    public bool HasExited => _process.HasExited;

    /// <summary>What it has printed.</summary>
    public string Output => string.Join('\n', _output);

    public static ChildProcess Start(string[] args)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true, RedirectStandardError = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        {
            start.ArgumentList.Add("exec");
            start.ArgumentList.Add(typeof(ChildProcess).Assembly.Location);
        }

        foreach (var arg in args)
        {
            start.ArgumentList.Add(arg);
        }

        var child = new ChildProcess(new Process { StartInfo = start });
        child._process.OutputDataReceived += (_, line) => child._output.Enqueue(line.Data ?? "");
        child._process.ErrorDataReceived += (_, line) => child._output.Enqueue(line.Data ?? "");
        child._process.Start();
        child._process.BeginOutputReadLine();
        child._process.BeginErrorReadLine();
        return child;
    }

    /// <summary>Sends a signal: STOP freezes all threads of the process, CONT wakes them.</summary>
    public async Task SignalAsync(string signal)
    {
        using var kill = Process.Start("kill", [$"-{signal}", _process.Id.ToString(CultureInfo.InvariantCulture)]);
        await kill.WaitForExitAsync();
        Assert.Equal(0, kill.ExitCode);
    }

    /// <summary>Waits until the process has ended by itself, at most for some time.</summary>
    public async Task WaitAsync(TimeSpan limit)
    {
        using var deadline = new CancellationTokenSource(limit);
        try
        {
            await _process.WaitForExitAsync(deadline.Token);
        }
        catch (OperationCanceledException)
        {
            // It goes on.
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        await _process.WaitForExitAsync();
        _process.Dispose();
    }
}
