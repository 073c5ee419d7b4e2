namespace Geo.Experiments.Regions;

/// <summary>What came of a cut.</summary>
/// <param name="Plan">What was planned.</param>
/// <param name="CutAt">When nothing came through any more.</param>
/// <param name="HealedAt">When it began to come again.</param>
/// <param name="Calls">The calls of each region.</param>
/// <param name="Tenancies">When each region's instances ran.</param>
/// <param name="Entries">What the ledgers held at the end, as each region reads them.</param>
internal sealed record CutRecord(
    CutPlan Plan, long CutAt, long HealedAt, IReadOnlyDictionary<string, LedgerCall[]> Calls,
    IReadOnlyDictionary<string, Tenancy[]> Tenancies, IReadOnlyDictionary<string, Dictionary<string, long[]>> Entries);
