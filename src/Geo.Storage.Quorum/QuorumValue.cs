using System.Collections.Immutable;

namespace Geo.Storage.Quorum;

/// <summary>A value of the register, or the tombstone of a deleted one.</summary>
/// <param name="Tag">The ballot of the first attempt to write it, kept by every repetition: its etag.</param>
/// <param name="IsLive">False for a tombstone.</param>
/// <param name="Bytes">The bytes; none in a tombstone.</param>
/// <param name="Ancestors">The tags of the values before it, the latest first, <see cref="KeptAncestors"/> at most.</param>
internal sealed record QuorumValue(Ballot Tag, bool IsLive, ReadOnlyMemory<byte> Bytes, ImmutableArray<Ballot> Ancestors)
{
    /// <summary>How many values a writer whose outcome is open can be overtaken by and still learn it.</summary>
    public const int KeptAncestors = 4;

    /// <summary>True when a value with the tag is this one or came shortly before it.</summary>
    public bool Descends(Ballot tag) => Tag == tag || Ancestors.Contains(tag);

    /// <summary>The ancestors of the value that replaces one; none where there is nothing.</summary>
    public static ImmutableArray<Ballot> AncestorsAfter(QuorumValue? current) =>
        current is null ? [] : [current.Tag, .. current.Ancestors.Take(KeptAncestors - 1)];
}
