using System.Collections.Immutable;

namespace Geo.Storage.Quorum;

/// <summary>The end of a key's chain of values, as a value that replaces it needs it.</summary>
/// <param name="Tag">The tag of the last value; none where there is none.</param>
/// <param name="Origin">The tag of the first one; none where there is none.</param>
/// <param name="IsLive">False for a tombstone, or nothing.</param>
/// <param name="Ancestors">What the value after it names as its ancestors.</param>
internal sealed record ChainEnd(Ballot Tag, Ballot Origin, bool IsLive, ImmutableArray<Ballot> Ancestors)
{
    /// <summary>No value at all.</summary>
    public static readonly ChainEnd Nothing = new(Ballot.None, Ballot.None, IsLive: false, []);

    /// <summary>The end that a value is; <see cref="Nothing"/> for none.</summary>
    public static ChainEnd Of(QuorumValue? value) => value is null ? Nothing : new(
        value.Tag, value.Origin, value.IsLive,
        [
            value.Tag,
            .. value.Ancestors.Where(a => a.Proposer != value.Tag.Proposer).Take(QuorumValue.KeptAncestors - 1),
        ]);
}
