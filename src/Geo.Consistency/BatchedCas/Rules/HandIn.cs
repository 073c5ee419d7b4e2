using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>The oldest updates of an instance that another one is to write for it, as far as the rules see them.</summary>
/// <param name="Instance">The instance whose updates they are.</param>
/// <param name="Since">The version that it knew: none of them is part of that one.</param>
/// <param name="Groups">The updates, in their order; at least one group.</param>
internal sealed record HandIn(long Instance, long Since, ImmutableArray<HandInGroup> Groups)
{
    internal long Last => Groups[^1].Last;

    /// <summary>Which of the instance's updates are, or may be, in no version; null for none.</summary>
    internal UpdateGaps? Gaps { get; init; }

    internal int Count { get; } = Groups.Sum(g => g.Count);
}
