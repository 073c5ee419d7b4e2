namespace Geo.Consistency.Tests.BatchedCas.Exploration;

/// <summary>A conditional write on its way: it may be executed late, twice or never.</summary>
internal sealed record ExploredWrite(
    ExploredInstance By, ETag? Expected, CasBatch Batch, long Through, IReadOnlyList<HandIn> Guests, ExploredRow Made);
