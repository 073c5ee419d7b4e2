namespace Geo.Directory.Tests;

/// <summary>How many clusters a model has, and what may happen to them.</summary>
internal sealed record ModelOptions
{
    /// <summary>How many clusters.</summary>
    public required int Clusters { get; init; }

    /// <summary>Whether a round may decide while replies are missing that could have come.</summary>
    public bool MayLose { get; init; } = true;

    /// <summary>A cluster that neither does nor answers anything, by its place in the order of precedence; none by default.</summary>
    public int? Dead { get; init; }

    /// <summary>Whether replies of earlier rounds are offered to later ones too; for two clusters.</summary>
    public bool KeepLateReplies { get; init; }

    /// <summary>Whether there may be Doubtful instances to begin with, in any combination of clusters; none by default.</summary>
    public bool BeginsDoubtful { get; init; }

    /// <summary>Whether no node dies and no instance ends but by the rules.</summary>
    public bool NothingEnds { get; init; }

    /// <summary>
    /// Whether an owner may move away at any time (rule Q7). That its instance has ended by then the model does not tell from one that
    /// yields: not for what counts instances.
    /// </summary>
    public bool Moves { get; init; }

    /// <summary>
    /// Whether a Loser without an instance is taken for Invalid, which spares states: it answers and begins like one, and all that it can
    /// still decide is to be one. Not for rules that are broken just there.
    /// </summary>
    public bool LosersAreInvalid { get; init; }

    public override string ToString() =>
        $"{Clusters} clusters{(Dead is { } dead ? $", number {dead + 1} dead" : "")}, {(MayLose ? "messages lost" : "no message lost")}"
        + $"{(KeepLateReplies ? ", late replies" : "")}{(BeginsDoubtful ? ", Doubtful to begin with" : "")}"
        + $"{(NothingEnds ? ", nothing ends" : "")}{(Moves ? ", grains move" : "")}";
}
