using TpcwMini.Options;

namespace TpcwMini.Store;

/// <summary>What the storage account's process is told by its parent.</summary>
/// <param name="Store">What keeps the values.</param>
/// <param name="Path">The file; null for a new one that is deleted at the end.</param>
/// <param name="OperationsPerSecond">How many operations are served.</param>
/// <param name="MaxQueued">How many may wait.</param>
internal sealed record StoreSettings(StoreKind Store, string? Path, int OperationsPerSecond, int MaxQueued)
{
    // Each instance of an item has one operation under way; while it is activated, retried or read for the books there may be another.
    private const int MostForAnItem = 4;
    private const int Least = 10_000;

    public static StoreSettings Of(RunOptions options) => new(
        options.Store,
        options.StorePath,
        options.StoreOps,
        Math.Max(Least, MostForAnItem * options.Items * options.Clusters.Count));
}
