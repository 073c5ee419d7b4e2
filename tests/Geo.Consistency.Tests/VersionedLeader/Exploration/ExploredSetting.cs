namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>Which clusters agree on a grain, through which changes of their configuration, and what may happen to them.</summary>
/// <param name="Name">For people.</param>
/// <param name="Confirmation">When updates are confirmed.</param>
/// <param name="Configurations">The clusters of each configuration, each a string of one-letter names.</param>
/// <param name="Losses">How many memories may be lost; under the replicated rule never a majority at once.</param>
/// <param name="Steps">How many events a schedule has.</param>
internal sealed record ExploredSetting(string Name, UpdateConfirmation Confirmation, string[] Configurations, int Losses, int Steps)
{
    internal static readonly IReadOnlyList<ExploredSetting> All =
    [
        new("3 replicated", UpdateConfirmation.Replicated, ["abc"], 2, 80),
        new("2 replicated", UpdateConfirmation.Replicated, ["ab"], 2, 60),
        new("2 leader", UpdateConfirmation.Leader, ["ab"], 1, 60),
        new("2 leader, all lost", UpdateConfirmation.Leader, ["ab"], 4, 90) { IsLostWhole = true },
        new("3 leader, all lost", UpdateConfirmation.Leader, ["abc"], 6, 120) { IsLostWhole = true },
        new("3 leader", UpdateConfirmation.Leader, ["abc"], 1, 70),
        new("3 to 2 to 1 replicated", UpdateConfirmation.Replicated, ["abc", "ab", "b"], 1, 80),
        new("1 to 2 to 3 replicated", UpdateConfirmation.Replicated, ["a", "ab", "abc"], 1, 80),
        new("3 to 4 replicated", UpdateConfirmation.Replicated, ["abc", "abcd"], 1, 80),
        new("3 to 1 to 3 replicated", UpdateConfirmation.Replicated, ["abc", "a", "abc"], 1, 90),
        new("2 to 1 leader", UpdateConfirmation.Leader, ["ab", "b"], 1, 70),
        new("2 to 3 to 2 leader", UpdateConfirmation.Leader, ["ab", "abc", "ac"], 1, 80),
        new("2 to 3 to 2 default", UpdateConfirmation.Default, ["ab", "abc", "ac"], 0, 80),
        new("3 replicated, 2 numbers", UpdateConfirmation.Replicated, ["abc"], 2, 90) { MaxInstances = 2 },
        new("5 replicated", UpdateConfirmation.Replicated, ["abcde"], 3, 170),
    ];

    /// <summary>How many instances' numbers travel with the state.</summary>
    internal int MaxInstances { get; init; } = 64;

    /// <summary>True where all memories may be lost, so that clocks count; elsewhere they stand still.</summary>
    internal bool IsLostWhole { get; init; }

    public override string ToString() => Name;
}
