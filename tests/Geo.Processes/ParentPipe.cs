using System.Text.Json;

namespace Geo.Processes;

/// <summary>The child's end of the talk with its parent. When the parent is gone, so is this process.</summary>
public sealed class ParentPipe
{
    private const int ExitOrphaned = 3;
    private static readonly TimeSpan PatienceAsOrphan = TimeSpan.FromSeconds(5);
    private readonly TaskCompletionSource _stop = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TextWriter _output = TextWriter.Synchronized(Console.Out);
    private readonly TaskCompletionSource<Func<string, Task<string>>> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ParentPipe()
    {
    }

    /// <summary>Ends when the parent asks this process to stop.</summary>
    public Task Stop => _stop.Task;

    /// <summary>Reads the settings that the parent hands over.</summary>
    public static (ParentPipe Parent, TSettings Settings) Open<TSettings>()
    {
        var settings = JsonSerializer.Deserialize<TSettings>(
            Console.In.ReadLine() ?? throw new InvalidOperationException("The parent process ended before it handed over any settings."));
        var parent = new ParentPipe();

        // A thread of its own: it must notice the parent's end even when every pooled thread is busy or stuck.
        new Thread(parent.Listen) { IsBackground = true, Name = "parent" }.Start();
        return (parent, settings!);
    }

    /// <summary>Tells the parent that this process serves, and has no answers.</summary>
    /// <param name="report">Ports and the like.</param>
    public void Ready<TReport>(TReport report) => Ready(report, (string _) => Task.FromResult<object?>(null));

    /// <summary>Tells the parent that this process serves.</summary>
    /// <param name="report">Ports and the like.</param>
    /// <param name="answer">Answers a question, also one that came before; an exception ends the talk.</param>
    public void Ready<TReport, TQuestion, TAnswer>(TReport report, Func<TQuestion, Task<TAnswer>> answer)
    {
        _answer.TrySetResult(
            async question => JsonSerializer.Serialize(await answer(JsonSerializer.Deserialize<TQuestion>(question)!)));
        Say(PipeWords.Ready + JsonSerializer.Serialize(report));
    }

    /// <summary>Tells the parent why this process cannot go on.</summary>
    internal void Failed(Exception error)
    {
        var reason = error is GeoException ? error.Message : $"{error.GetType().Name}: {error.Message}";
        Say(PipeWords.Failed + reason.ReplaceLineEndings(" "));
        Console.Error.WriteLine(error.ToString());
    }

    private void Say(string line)
    {
        _output.WriteLine(line);
        _output.Flush();
    }

    private async Task AnswerAsync(string question)
    {
        try
        {
            Say(PipeWords.Answer + await (await _answer.Task)(question));
        }
#pragma warning disable CA1031 // Whatever it is, whoever asked is to hear it.
        catch (Exception error)
#pragma warning restore CA1031
        {
            Failed(error);
        }
    }

    private void Listen()
    {
        while (Console.In.ReadLine() is { } line)
        {
            if (line == PipeWords.Stop)
            {
                _stop.TrySetResult();
            }
            else if (line.StartsWith(PipeWords.Ask, StringComparison.Ordinal))
            {
                _ = Task.Run(() => AnswerAsync(line[PipeWords.Ask.Length..]));
            }
        }

        // The parent is gone. What can be put in order is, and nothing may keep this process alive after that.
        _stop.TrySetResult();
        Thread.Sleep(PatienceAsOrphan);
        Environment.Exit(ExitOrphaned);
    }
}
