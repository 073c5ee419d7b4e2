namespace Geo.Directory.Tests;

/// <summary>The rules as the exploration calls them: the real ones, or real ones with one of them broken on purpose.</summary>
internal sealed record ModelRules
{
    public static ModelRules Real { get; } = new();

    public Func<GsiEntry, NodeState, bool, GsiEntry> Recover { get; init; } = GsiRules.Recover;

    public Func<GsiEntry, ClusterId, ClusterId, MultiClusterConfiguration, NodeState, GsiAnswer> Answer { get; init; } = GsiRules.Answer;

    public Func<GsiEntry, ClusterId, long, IReadOnlyList<GsiReply>, IReadOnlyList<ClusterId>, SingleInstanceMode, GsiDecision> Decide
    {
        get;
        init;
    }
        = GsiRules.Decide;

    /// <summary>A cluster that loses a race passes without giving its own round up.</summary>
    public static ModelRules WithoutLoser { get; } = new()
    {
        Answer = (entry, local, requester, configuration, node) =>
        {
            var answer = GsiRules.Answer(entry, local, requester, configuration, node);
            return answer.Entry.State == GsiState.Loser ? answer with { Entry = entry } : answer;
        },
    };

    /// <summary>A decision is written over whatever the row has become: no compare-and-swap.</summary>
    public static ModelRules WithoutCompareAndSwap { get; } = new()
    {
        Decide = (entry, local, round, replies, expected, mode) => GsiRules.Decide(
            entry.State == GsiState.Loser ? entry with { State = GsiState.Requested } : entry, local, round, replies, expected, mode),
    };

    /// <summary>A late reply of an earlier round counts in a later one.</summary>
    public static ModelRules WithoutRoundIds { get; } = new()
    {
        Decide = (entry, local, round, replies, expected, mode) =>
            GsiRules.Decide(entry, local, round, [.. replies.Select(r => r with { Round = round })], expected, mode),
    };

    /// <summary>A Doubtful entry whose round is run again keeps answering as Doubtful, as a literal reading of the paper has it.</summary>
    public static ModelRules WithRerunAsDoubtful { get; } = new()
    {
        Answer = (entry, local, requester, configuration, node) => entry is { State: GsiState.Requested, HasInstance: true }
            ? new GsiAnswer(entry, GsiReplyKind.Pass)
            : GsiRules.Answer(entry, local, requester, configuration, node),
    };

    /// <summary>A request is answered as if an overdue round were over, but the row is left, so that a slow round still ends.</summary>
    public static ModelRules WithRecoveryNotStored { get; } = new()
    {
        Answer = (entry, local, requester, configuration, node) => entry.State == GsiState.Requested && !entry.HasInstance
            ? new GsiAnswer(entry, GsiReplyKind.Pass)
            : GsiRules.Answer(entry, local, requester, configuration, node),
    };

    /// <summary>A reply that is missing counts as Pass.</summary>
    public static ModelRules WithMissingAsPass { get; } = new()
    {
        Decide = (entry, local, round, replies, expected, mode) => GsiRules.Decide(
            entry, local, round,
            [.. expected.Select(
                c => replies.FirstOrDefault(r => r.From == c && r.Round == round, new GsiReply(c, round, GsiReplyKind.Pass)))],
            expected, mode),
    };

    /// <summary>A Fail without an owner counts as Pass.</summary>
    public static ModelRules WithFailAsPass { get; } = new()
    {
        Decide = (entry, local, round, replies, expected, mode) => GsiRules.Decide(
            entry, local, round, [.. replies.Select(r => r.Kind == GsiReplyKind.Fail ? r with { Kind = GsiReplyKind.Pass } : r)], expected,
            mode),
    };

    /// <summary>An owner answers Pass.</summary>
    public static ModelRules WithOwnerPassing { get; } = new()
    {
        Answer = (entry, local, requester, configuration, node) => entry.State == GsiState.Owned
            ? new GsiAnswer(entry, GsiReplyKind.Pass)
            : GsiRules.Answer(entry, local, requester, configuration, node),
    };

    /// <summary>Nobody is told of a Doubtful instance, as in the paper.</summary>
    public static ModelRules WithoutWordOfDoubtful { get; } = new()
    {
        Answer = (entry, local, requester, configuration, node) => GsiRules.Answer(entry, local, requester, configuration, node) switch
        {
            { Kind: GsiReplyKind.InstanceAt } answer => answer,
            var answer => answer with { Node = null },
        },
    };

    /// <summary>Of two Doubtful instances each yields to the other.</summary>
    public static ModelRules WithJoiningAgainstPrecedence { get; } = new()
    {
        Decide = (entry, _, round, replies, expected, mode) => GsiRules.Decide(entry, new ClusterId("0"), round, replies, expected, mode),
    };

    /// <summary>Of two Doubtful instances neither yields to the other.</summary>
    public static ModelRules WithoutJoining { get; } = new()
    {
        Decide = (entry, _, round, replies, expected, mode) => GsiRules.Decide(entry, new ClusterId("z"), round, replies, expected, mode),
    };
}
