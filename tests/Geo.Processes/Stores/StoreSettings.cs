namespace Geo.Processes.Stores;

/// <summary>What the storage account's process is told by its parent.</summary>
/// <param name="Store">What keeps the values.</param>
/// <param name="Path">The file; null for a new one that is deleted at the end.</param>
/// <param name="OperationsPerSecond">How many operations are served.</param>
/// <param name="MaxQueued">How many may wait.</param>
/// <param name="Port">Where it listens; 0 for a free port.</param>
public sealed record StoreSettings(StoreKind Store, string? Path, int OperationsPerSecond, int MaxQueued, int Port = 0);
