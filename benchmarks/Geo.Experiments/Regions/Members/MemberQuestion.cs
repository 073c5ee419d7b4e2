using Geo.Experiments.ByteArrays;

namespace Geo.Experiments.Regions;

/// <summary>What a region's process is asked: to do one of these, or, without any, whether it reaches all others.</summary>
/// <param name="Settle">Ledgers to be called until they answer.</param>
/// <param name="Begin">Ledgers to be called from now on.</param>
/// <param name="Tell">To end the calls of ledgers and tell what became of them.</param>
/// <param name="Read">Ledgers of which all entries are told.</param>
/// <param name="Step">Accesses of arrays to be timed.</param>
/// <param name="Load">Robots to be run.</param>
/// <param name="Fill">Grains to be made.</param>
/// <param name="Call">Grains to be called from now on.</param>
/// <param name="EndCalls">To end those calls and tell what became of them.</param>
/// <param name="Remove">A region to be taken out.</param>
/// <param name="Describe">To tell how far the regions have come.</param>
internal sealed record MemberQuestion(
    string[]? Settle = null, string[]? Begin = null, bool Tell = false, string[]? Read = null, RegionStep? Step = null,
    RegionLoad? Load = null, ResidentLoad? Fill = null, ResidentLoad? Call = null, bool EndCalls = false, string? Remove = null,
    bool Describe = false);
