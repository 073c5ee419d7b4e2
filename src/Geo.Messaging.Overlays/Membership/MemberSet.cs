using System.Collections.Immutable;

namespace Geo.Messaging.Overlays;

/// <summary>
/// A replicated set of members: an observed-remove set in which a peer's incarnation is the version of its entry. Replicas that have
/// merged the same entries, in any order and any number of times, are equal.
/// </summary>
/// <remarks>
/// A higher incarnation replaces a lower one, so that a peer that comes back under another address replaces itself; a removal takes out
/// the incarnation it has observed and those before, never a later one. Removals are remembered, the latest
/// <see cref="MaxRemoved"/> of them, or a late message would bring the member back.
/// </remarks>
public sealed record MemberSet
{
    /// <summary>The most removals that are remembered; the oldest give way, the same ones at every replica.</summary>
    public const int MaxRemoved = 1024;

    private MemberSet(ImmutableSortedDictionary<PeerId, MemberEntry> entries) => Entries = entries;

    /// <summary>The set without entries.</summary>
    public static MemberSet Empty { get; } = new(ImmutableSortedDictionary<PeerId, MemberEntry>.Empty);

    /// <summary>All that is known, removals included.</summary>
    public ImmutableSortedDictionary<PeerId, MemberEntry> Entries { get; }

    /// <summary>The members, by name.</summary>
    public IReadOnlyList<OverlayMember> Members => [.. Entries.Values.Where(entry => !entry.IsRemoved).Select(entry => entry.Member)];

    /// <summary>The member of a name; null when there is none.</summary>
    public OverlayMember? Find(PeerId peer) => Entries.TryGetValue(peer, out var entry) && !entry.IsRemoved ? entry.Member : null;

    /// <summary>Adds a member, or replaces an earlier incarnation of it.</summary>
    public MemberSet Add(OverlayMember member) => Merge([new MemberEntry(member, IsRemoved: false)]).Set;

    /// <summary>Removes the incarnation that is known; no change when there is none.</summary>
    public MemberSet Remove(PeerId peer) => Find(peer) is { } member ? Merge([new MemberEntry(member, IsRemoved: true)]).Set : this;

    /// <summary>Takes over what another replica knows.</summary>
    /// <param name="entries">Its entries, all or some.</param>
    /// <returns>The merged set, and those entries that told it something.</returns>
    public (MemberSet Set, IReadOnlyList<MemberEntry> News) Merge(IEnumerable<MemberEntry> entries)
    {
        ArgumentNullException.ThrowIfNull(entries);
        var merged = Entries.ToBuilder();
        List<MemberEntry> news = [];
        foreach (var entry in entries)
        {
            if (!merged.TryGetValue(entry.Member.Peer, out var known) || entry.Replaces(known))
            {
                merged[entry.Member.Peer] = entry;
                news.Add(entry);
            }
        }

        foreach (var forgotten in TooManyRemoved(merged))
        {
            merged.Remove(forgotten.Member.Peer);
            news.Remove(forgotten);
        }

        return news.Count == 0 ? (this, news) : (new MemberSet(merged.ToImmutable()), news);
    }

    /// <summary>Writes entries, to be read by <see cref="Read"/>.</summary>
    public static void Write(PayloadWriter writer, IReadOnlyCollection<MemberEntry> entries)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(entries);
        writer.WriteUnsigned((ulong)entries.Count);
        foreach (var entry in entries)
        {
            writer.WriteByte(entry.IsRemoved ? (byte)1 : (byte)0);
            entry.Member.WriteTo(writer);
        }
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not entries.</exception>
    public static IReadOnlyList<MemberEntry> Read(ref PayloadReader reader)
    {
        var entries = new List<MemberEntry>();
        for (var left = reader.ReadCount(); left > 0; left--)
        {
            var removed = reader.ReadByte() != 0;
            entries.Add(new MemberEntry(OverlayMember.ReadFrom(ref reader), removed));
        }

        return entries;
    }

    private static MemberEntry[] TooManyRemoved(ImmutableSortedDictionary<PeerId, MemberEntry>.Builder entries)
    {
        var removed = entries.Values.Count(entry => entry.IsRemoved);
        return removed <= MaxRemoved ? []
            : [.. entries.Values.Where(entry => entry.IsRemoved)
                .OrderBy(entry => entry.Member.Incarnation).ThenByDescending(entry => entry.Member.Peer)
                .Take(removed - MaxRemoved)];
    }
}
