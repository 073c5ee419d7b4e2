namespace Geo.Directory.Tests;

/// <summary>The rules as the exploration calls them: the real ones, or real ones with one of them broken on purpose.</summary>
internal sealed record ModelRules
{
    public static ModelRules Real { get; } = new();

    public Func<GsiEntry, bool, bool, GsiEntry> Recover { get; init; } = GsiRules.Recover;

    public Func<GsiEntry, ClusterId, ClusterId, MultiClusterConfiguration, GsiAnswer> Answer { get; init; } = GsiRules.Answer;

    public Func<GsiEntry, long, IReadOnlyList<GsiReply>, IReadOnlyList<ClusterId>, SingleInstanceMode, GsiDecision> Decide { get; init; } =
        GsiRules.Decide;

    /// <summary>A cluster that loses a race passes without giving its own round up.</summary>
    public static ModelRules WithoutLoser { get; } = new()
    {
        Answer = (entry, local, requester, configuration) =>
        {
            var answer = GsiRules.Answer(entry, local, requester, configuration);
            return answer.Entry.State == GsiState.Loser ? answer with { Entry = entry } : answer;
        },
    };

    /// <summary>A decision is written over whatever the row has become: no compare-and-swap.</summary>
    public static ModelRules WithoutCompareAndSwap { get; } = new()
    {
        Decide = (entry, round, replies, expected, mode) => GsiRules.Decide(
            entry.State == GsiState.Loser ? entry with { State = GsiState.Requested } : entry, round, replies, expected, mode),
    };

    /// <summary>A late reply of an earlier round counts in a later one.</summary>
    public static ModelRules WithoutRoundIds { get; } = new()
    {
        Decide = (entry, round, replies, expected, mode) =>
            GsiRules.Decide(entry, round, [.. replies.Select(r => r with { Round = round })], expected, mode),
    };

    /// <summary>A Doubtful entry whose round is run again keeps answering as Doubtful, as a literal reading of the paper has it.</summary>
    public static ModelRules WithRerunAsDoubtful { get; } = new()
    {
        Answer = (entry, local, requester, configuration) => entry is { State: GsiState.Requested, HasInstance: true }
            ? new GsiAnswer(entry, GsiReplyKind.Pass)
            : GsiRules.Answer(entry, local, requester, configuration),
    };

    /// <summary>A request is answered as if an overdue round were over, but the row is left, so that a slow round still ends.</summary>
    public static ModelRules WithRecoveryNotStored { get; } = new()
    {
        Answer = (entry, local, requester, configuration) => entry.State == GsiState.Requested && !entry.HasInstance
            ? new GsiAnswer(entry, GsiReplyKind.Pass)
            : GsiRules.Answer(entry, local, requester, configuration),
    };
}
