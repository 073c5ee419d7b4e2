namespace Geo.Consistency;

/// <summary>What a leader has told one other cluster, and whether it is telling more. Touched under the memory's lock.</summary>
internal sealed class AppendFeed(ClusterId to)
{
    internal ClusterId To => to;

    /// <summary>True while a message is on its way, or is waited with.</summary>
    internal bool IsRunning { get; set; }

    /// <summary>How often the cluster has not answered, or not followed, in a row.</summary>
    internal int Failures { get; set; }

    /// <summary>True when the cluster may have lost its memory: it is asked even if it has acknowledged everything.</summary>
    internal bool MustProbe { get; set; }

    /// <summary>The term and the step that it was sent the log of, here or in a reply.</summary>
    internal (Term Term, long Step) Told { get; set; }

    /// <summary>The confirmed step that it was told last.</summary>
    internal long ToldConfirmed { get; set; }

    /// <summary>Ends the pause after a failure.</summary>
    internal CancellationTokenSource? Pause { get; set; }
}
