namespace Geo.Directory.Tests;

/// <summary>
/// The entries that the rules tell apart, by number. A hint that the grain is elsewhere is no entry; whom an instance yields to makes no
/// difference to the rules.
/// </summary>
internal static class ModelEntries
{
    public const int Requested = 1;
    public const int RequestedWithInstance = 2;
    public const int Loser = 3;
    public const int LoserWithInstance = 4;
    public const int Owned = 5;
    public const int Doubtful = 6;
    public const int Yielding = 7;

    /// <summary>Those with an instance, as bits.</summary>
    public const int WithInstance =
        1 << RequestedWithInstance | 1 << LoserWithInstance | 1 << Owned | 1 << Doubtful | 1 << Yielding;

    public static GsiEntry[] All { get; } =
    [
        GsiEntry.Invalid,
        InRound(GsiState.Requested, false),
        InRound(GsiState.Requested, true),
        InRound(GsiState.Loser, false),
        InRound(GsiState.Loser, true),
        new() { State = GsiState.Owned, Node = "n" },
        new() { State = GsiState.Doubtful, Node = "n" },
        InRound(GsiState.Loser, true) with { Owner = new ClusterId("z") },
    ];

    public static bool IsInRound(int code) => code is >= Requested and <= LoserWithInstance;

    public static bool HasInstance(int code) => (WithInstance >> code & 1) != 0;

    public static int CodeOf(GsiEntry entry) => entry.State switch
    {
        GsiState.Requested => entry.HasInstance ? RequestedWithInstance : Requested,
        GsiState.Loser when entry.IsYielding => Yielding,
        GsiState.Loser => entry.HasInstance ? LoserWithInstance : Loser,
        GsiState.Owned => Owned,
        GsiState.Doubtful => Doubtful,
        _ => 0,
    };

    private static GsiEntry InRound(GsiState state, bool hasInstance) =>
        new() { State = state, Node = "n", Round = 2, HasInstance = hasInstance };
}
