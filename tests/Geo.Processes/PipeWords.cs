namespace Geo.Processes;

/// <summary>
/// What parent and child say to each other over the child's standard streams, a line each. The first line to the child is its settings
/// as JSON; the end of the child's input means that the parent is gone.
/// </summary>
internal static class PipeWords
{
    /// <summary>To the child: a question as JSON follows.</summary>
    public const string Ask = "ask ";

    /// <summary>To the child: end in good order.</summary>
    public const string Stop = "stop";

    /// <summary>From the child: it serves; JSON with its ports follows.</summary>
    public const string Ready = "ready ";

    /// <summary>From the child: the answer to <see cref="Ask"/> as JSON follows.</summary>
    public const string Answer = "answer ";

    /// <summary>From the child: it cannot go on; the one line for the user follows.</summary>
    public const string Failed = "failed ";
}
