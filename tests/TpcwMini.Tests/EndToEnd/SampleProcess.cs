using System.Diagnostics;
using System.Text;
using TpcwMini.Commands;

namespace TpcwMini.Tests.EndToEnd;

/// <summary>Runs the sample as a user does: as a process of its own.</summary>
internal sealed class SampleProcess : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);
    private readonly StringBuilder _output = new();
    private readonly StringBuilder _error = new();

    private SampleProcess(Process process)
    {
        Process = process;
        process.OutputDataReceived += (_, line) => Keep(_output, line.Data);
        process.ErrorDataReceived += (_, line) => Keep(_error, line.Data);
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
    }

    public Process Process { get; }

    public static SampleProcess Start(WorkFolder folder, params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet")
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder.Path,
        };
        start.ArgumentList.Add(typeof(EntryPoint).Assembly.Location);
        foreach (var argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        return new SampleProcess(Process.Start(start)!);
    }

    public static async Task<SampleOutcome> RunAsync(WorkFolder folder, params string[] arguments)
    {
        using var sample = Start(folder, arguments);
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(Patience);
        await sample.Process.WaitForExitAsync(patience.Token);
        return new SampleOutcome(sample.Process.ExitCode, Text(sample._output), Text(sample._error));
    }

    public void Dispose()
    {
        if (!Process.HasExited)
        {
            Process.Kill();
        }

        Process.Dispose();
    }

    private static string Text(StringBuilder kept)
    {
        lock (kept)
        {
            return kept.ToString();
        }
    }

    private static void Keep(StringBuilder kept, string? line)
    {
        if (line is not null)
        {
            lock (kept)
            {
                kept.Append(line).Append('\n');
            }
        }
    }
}
