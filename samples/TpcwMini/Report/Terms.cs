namespace TpcwMini.Report;

/// <summary>What the words of a run's report mean, half a line each.</summary>
internal static class Terms
{
    public static IReadOnlyList<(string Word, string Meaning)> All { get; } =
    [
        ("region", "a cluster of its own, here one process for each silo; delayed links join it with the others"),
        ("robot", "an emulated customer of one region: creates a cart, adds an item, buys, confirms, and waits for its next turn"),
        ("step", "one of these four calls"),
        ("in time", "answered within 1.5 s"),
        ("late", "answered, but not in time"),
        ("failed", "ended with an error, or interrupted"),
        ("interrupted", "a call cut off by the kill or cut that was asked for; its customer starts anew"),
        ("order confirmed", "a robot was told that it has bought: from then on the sale must be in the item's books, once"),
        ("oversold", "more sold of an item than there was"),
        ("storage account", "the emulated store that the regions share, with a time and a rate of its own"),
        ("p50, p95, p99", "so many of a hundred steps took no longer"),
    ];
}
