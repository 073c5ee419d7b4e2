namespace Geo.Experiments.Regions;

/// <summary>What a region's process answers.</summary>
/// <param name="IsLinked">True while it reaches all other regions.</param>
/// <param name="Calls">What became of the calls of ledgers.</param>
/// <param name="Tenancies">When the ledgers of this region served.</param>
/// <param name="Entries">What ledgers hold.</param>
/// <param name="Times">How long each access took, in ms.</param>
/// <param name="Answers">How many accesses of a load were answered in time.</param>
/// <param name="Tally">What became of calls of grains.</param>
/// <param name="Stages">How far each region has come.</param>
/// <param name="Refusal">Why a change was not made.</param>
internal sealed record MemberAnswer(
    bool IsLinked = true, LedgerCall[]? Calls = null, Tenancy[]? Tenancies = null, Dictionary<string, long[]>? Entries = null,
    double[]? Times = null, long Answers = 0, ResidentTally? Tally = null, Dictionary<string, string>? Stages = null,
    string? Refusal = null);
