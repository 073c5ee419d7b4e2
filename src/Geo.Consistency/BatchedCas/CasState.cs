using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>What an instance knows about the stored version: all that the rules of batching compare-and-swap decide by.</summary>
internal sealed record CasState
{
    internal static readonly CasState Initial = new();

    /// <summary>True once the stored version was seen.</summary>
    internal bool IsLoaded { get; init; }

    /// <summary>What the next write expects to replace; null for a row that does not exist.</summary>
    internal ETag? ETag { get; init; }

    /// <summary>The version stored under <see cref="ETag"/>.</summary>
    internal long Version { get; init; }

    /// <summary>The stamps stored with it.</summary>
    internal AppliedTable Stamps { get; init; } = AppliedTable.Empty;

    /// <summary>The number of this instance's newest write attempt.</summary>
    internal long LastAttempt { get; init; }

    /// <summary>
    /// The attempts that expected <see cref="ETag"/> and were not seen to be applied: one of them may have been, or may still be.
    /// </summary>
    internal ImmutableArray<CasAttempts> Outstanding { get; init; } = [];

    /// <summary>True when storage may hold another version than this one.</summary>
    internal bool MustRead { get; init; }

    /// <summary>True when trying again by itself is of no use.</summary>
    internal bool IsFaulted { get; init; }

    /// <summary>Operations of unknown outcome in a row.</summary>
    internal int Failures { get; init; }

    /// <summary>Conflicts in a row.</summary>
    internal int Conflicts { get; init; }
}

/// <summary>Consecutive attempts that carried the same number of the oldest queued updates.</summary>
/// <param name="First">The number of the first one.</param>
/// <param name="Last">The number of the last one.</param>
/// <param name="Updates">How many updates each carried.</param>
/// <param name="IsInDoubt">False when the store said that they were not applied.</param>
internal readonly record struct CasAttempts(long First, long Last, int Updates, bool IsInDoubt);
