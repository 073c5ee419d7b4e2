using Geo.Storage.Postgres;

namespace Geo.Experiments.Soak.Stores;

/// <summary>How a region's process reaches the store.</summary>
/// <param name="Account">Where the process with the SQLite file listens; null for PostgreSQL.</param>
/// <param name="Postgres">The table; null for SQLite.</param>
internal sealed record StoreAddress(string? Account, PostgresStoreOptions? Postgres);
