using System.Diagnostics;
using System.Globalization;
using System.Threading.Channels;

namespace Geo.Packages.Tests.Kit;

/// <summary>A program in a terminal of its own: what it prints is awaited, what it reads is typed.</summary>
internal sealed class RunningProgram : IAsyncDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private readonly Process _process;
    private readonly Channel<string> _printed = Channel.CreateUnbounded<string>();
    private readonly List<string> _seen = [];

    private RunningProgram(Process process)
    {
        _process = process;
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => Take(line.Data is null ? "" : line.Data);
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    public static RunningProgram Start(string folder, IEnumerable<string> arguments, IReadOnlyDictionary<string, string> environment)
    {
        // Where tests run in the background of a shell they ignore Ctrl+C, and so would what they start.
        var start = DotNet.Describe(folder, ["--default-signal=INT", "dotnet", .. arguments], environment);
        start.FileName = "env";
        return new(Process.Start(start)!);
    }

    public void Type(string line)
    {
        _process.StandardInput.WriteLine(line);
        _process.StandardInput.Flush();
    }

    /// <summary>Waits until the program prints a line.</summary>
    /// <exception cref="InvalidOperationException">It ended, or printed other things for two minutes; the message has them.</exception>
    public Task PrintsAsync(string expected) => UntilAsync(expected, () => { });

    /// <summary>Types a line, and again after each other answer, until the program prints the one that is expected.</summary>
    /// <exception cref="InvalidOperationException">It ended, or printed other things for two minutes; the message has them.</exception>
    public Task AnswersAsync(string typed, string expected)
    {
        Type(typed);
        return UntilAsync(expected, () => Type(typed));
    }

    private async Task UntilAsync(string expected, Action afterOthers)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Limit);
        try
        {
            await foreach (var line in _printed.Reader.ReadAllAsync(limit.Token))
            {
                _seen.Add(line);
                if (line == expected)
                {
                    return;
                }

                afterOthers();
            }
        }
        catch (OperationCanceledException) when (!TestContext.Current.CancellationToken.IsCancellationRequested)
        {
        }

        var last = string.Join(Environment.NewLine, _seen.TakeLast(50));
        throw new InvalidOperationException($"'{expected}' was not printed, but:{Environment.NewLine}{last}");
    }

    /// <summary>Waits for the program to end by itself.</summary>
    public async Task EndsAsync()
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Limit);
        await _process.WaitForExitAsync(limit.Token);
        Assert.Equal(0, _process.ExitCode);
    }

    /// <summary>Presses Ctrl+C, as a terminal does: SIGINT to the program and to all that it started. Waits until it has ended.</summary>
    public async Task InterruptAsync()
    {
        foreach (var id in WithChildren(_process.Id).ToArray())
        {
            using var kill = Process.Start("kill", ["-INT", id.ToString(CultureInfo.InvariantCulture)]);
            await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Limit);
        await _process.WaitForExitAsync(limit.Token);
    }

    /// <summary>Ends the program and what it started, without a word to it.</summary>
    public async Task KillAsync()
    {
        _process.Kill(entireProcessTree: true);
        await _process.WaitForExitAsync(CancellationToken.None);
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            await KillAsync();
        }

        _process.Dispose();
    }

    // By the kernel's list of processes: the fields behind the name, which may have blanks, are the state and the parent.
    private static IEnumerable<int> WithChildren(int id) => System.IO.Directory.GetDirectories("/proc")
        .Select(folder => int.TryParse(Path.GetFileName(folder), CultureInfo.InvariantCulture, out var other) ? other : 0)
        .Where(other => other > 0 && ParentOf(other) == id).SelectMany(WithChildren).Append(id);

    private static int ParentOf(int id)
    {
        try
        {
            var fields = File.ReadAllText($"/proc/{id}/stat").Split(") ")[^1].Split(' ');
            return int.Parse(fields[1], CultureInfo.InvariantCulture);
        }
        catch (IOException)
        {
            // It has ended meanwhile.
            return 0;
        }
    }

    private void Take(string? line)
    {
        if (line is null)
        {
            _printed.Writer.TryComplete();
        }
        else if (line.Length > 0)
        {
            _printed.Writer.TryWrite(line);
        }
    }
}
