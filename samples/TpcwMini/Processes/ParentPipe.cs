using System.Text.Json;

namespace TpcwMini.Processes;

/// <summary>The child's end of the talk with its parent. When the parent is gone, so is this process.</summary>
internal sealed class ParentPipe
{
    private const int ExitOrphaned = 3;
    private static readonly TimeSpan PatienceAsOrphan = TimeSpan.FromSeconds(5);
    private readonly TaskCompletionSource _stop = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TextWriter _output = TextWriter.Synchronized(Console.Out);
    private Func<string> _answer = () => "null";

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

    /// <summary>Tells the parent that this process serves.</summary>
    /// <param name="report">Ports and the like.</param>
    /// <param name="answer">Gives the figures when asked.</param>
    public void Ready<TReport>(TReport report, Func<object?> answer)
    {
        _answer = () => JsonSerializer.Serialize(answer());
        _output.WriteLine(PipeWords.Ready + JsonSerializer.Serialize(report));
        _output.Flush();
    }

    /// <summary>Tells the parent why this process cannot go on.</summary>
    public void Failed(string reason)
    {
        _output.WriteLine(PipeWords.Failed + reason.ReplaceLineEndings(" "));
        _output.Flush();
    }

    private void Listen()
    {
        while (Console.In.ReadLine() is { } line)
        {
            switch (line)
            {
                case PipeWords.Ask:
                    _output.WriteLine(PipeWords.Answer + _answer());
                    _output.Flush();
                    break;
                case PipeWords.Stop:
                    _stop.TrySetResult();
                    break;
            }
        }

        // The parent is gone. What can be put in order is, and nothing may keep this process alive after that.
        _stop.TrySetResult();
        Thread.Sleep(PatienceAsOrphan);
        Environment.Exit(ExitOrphaned);
    }
}
