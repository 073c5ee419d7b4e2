using System.Collections.Immutable;

namespace Geo.Storage.Quorum;

/// <summary>
/// A value of the register, or the tombstone of a deleted one. Decided values form a chain: each was computed on the one before it.
/// </summary>
/// <param name="Tag">The ballot of the attempt that first proposed it, kept by every repetition: its etag.</param>
/// <param name="Origin">
/// The tag of the value that began the chain, on nothing: another one means that the key was deleted and forgotten in between.
/// </param>
/// <param name="IsLive">False for a tombstone.</param>
/// <param name="Bytes">The bytes; none in a tombstone.</param>
/// <param name="Ancestors">
/// The last tag of each proposer among the values before it, the latest first, <see cref="KeptAncestors"/> at most.
/// </param>
internal sealed record QuorumValue(Ballot Tag, Ballot Origin, bool IsLive, ReadOnlyMemory<byte> Bytes, ImmutableArray<Ballot> Ancestors)
{
    /// <summary>How many other processes may write a key before one whose outcome is open cannot learn it any more.</summary>
    public const int KeptAncestors = 16;

    /// <summary>The value that replaces one.</summary>
    public static QuorumValue After(ChainEnd current, Ballot tag, bool isLive, ReadOnlyMemory<byte> bytes) =>
        new(tag, current.Origin.IsNone ? tag : current.Origin, isLive, bytes, current.Ancestors);

    /// <summary>True when the last value of a tag's proposer, this one included, is the one of the tag.</summary>
    public bool Descends(Ballot tag) => Tag == tag || Ancestors.Contains(tag);

    /// <summary>
    /// True when it shows that a tag is not in the chain since its beginning: the tag's proposer is known by another one, or nobody has
    /// been left out.
    /// </summary>
    public bool Excludes(Ballot tag) =>
        !Descends(tag)
        && (Ancestors.Length < KeptAncestors || Tag.Proposer == tag.Proposer || Ancestors.Any(a => a.Proposer == tag.Proposer));
}
