using TpcwMini.Options;

namespace TpcwMini.Store;

/// <summary>What the storage account's process is told by its parent.</summary>
internal sealed record StoreSettings(StoreKind Store, string? Path, int OperationsPerSecond)
{
    public static StoreSettings Of(RunOptions options) => new(options.Store, options.StorePath, options.StoreOps);
}
