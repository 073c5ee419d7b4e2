using System.Collections.Immutable;
using System.Text;

namespace Geo.Storage.Quorum;

/// <summary>
/// The clusters that keep the register's values, each with its own store as that calls itself: the acceptors of a version. A cluster whose
/// store is another one now has lost what it promised and accepted, and must not count (rule R5). Neighbouring versions differ by one
/// cluster (R15), but for a list that survivors begin another register with (<see cref="Forced"/>).
/// </summary>
internal sealed class StoreList
{
    /// <summary>How many registers are known that it took the place of.</summary>
    public const int MostBefore = 16;

    private readonly string _inWords;
    private readonly ulong _lineage;

    /// <param name="version">Its version, 1 at the beginning. Part of every ballot: it names the majority that the ballot asks.</param>
    /// <param name="stores">Each cluster with what its store calls itself.</param>
    /// <param name="lineage">The <see cref="Digest"/> of the list that the register began with; 0 where this is the one.</param>
    /// <param name="before">The lineages of the registers that it took the place of by force, the latest first; none by default.</param>
    /// <param name="joins">The lineages of the forced lists that it joins; none by default.</param>
    public StoreList(
        long version, IEnumerable<KeyValuePair<ClusterId, Guid>> stores, ulong lineage = 0, ImmutableArray<ulong> before = default,
        ImmutableArray<ulong> joins = default)
    {
        (Version, Stores, _lineage) = (version, stores.ToImmutableSortedDictionary(), lineage);
        (Before, Joins) = (before.IsDefault ? [] : before, joins.IsDefault ? [] : joins);
        _inWords = $"{version}: {string.Join(", ", Stores.Select(s => $"{s.Key}={s.Value:N}"))}"
            + (lineage != 0 ? $" since {lineage:x}" : IsForced ? $" by force after {string.Join(", ", Before.Select(b => $"{b:x}"))}" : "")
            + (lineage == 0 && !Joins.IsEmpty ? $" joining {string.Join(", ", Joins.Select(j => $"{j:x}"))}" : "");
        Digest = StableHash.Hash128(Encoding.UTF8.GetBytes(_inWords)).High;
    }

    public long Version { get; }

    public ImmutableSortedDictionary<ClusterId, Guid> Stores { get; }

    /// <summary>Goes with every request: an acceptor answers those alone that come from its own list.</summary>
    public ulong Digest { get; }

    /// <summary>The <see cref="Digest"/> of the list that the register began with: what has another one is another register.</summary>
    public ulong Lineage => _lineage == 0 ? Digest : _lineage;

    /// <summary>
    /// The lineages of the registers that it took the place of by force, the latest first, <see cref="MostBefore"/> at most.
    /// </summary>
    public ImmutableArray<ulong> Before { get; }

    /// <summary>
    /// The lineages of forced lists that it took the place of as long as they served nobody, <see cref="MostBefore"/> at most: what serves
    /// after one of these, whose clusters all had that one, goes on by itself.
    /// </summary>
    public ImmutableArray<ulong> Joins { get; }

    /// <summary>
    /// True for the list that survivors begin another register with. It serves nobody: every key is written by all of them under it, and
    /// leases that are kept in it run out, before the next list, of the same stores, does (rule C13).
    /// </summary>
    public bool IsForced => _lineage == 0 && Version > 1;

    /// <summary>How many acceptors decide.</summary>
    public int Majority => IsForced && !SwitchedOff.Is(ProtocolRule.SurvivorsAllDecide) ? Stores.Count : (Stores.Count / 2) + 1;

    /// <summary>Below every ballot of this version, and above all of those before it.</summary>
    public Ballot Beginning => new(SwitchedOff.Is(ProtocolRule.BallotNamesItsList) ? 1 : Version, 0, 0);

    /// <summary>True when the store of a cluster is the one of this list.</summary>
    public bool Names(ClusterId cluster, Guid store) => Stores.TryGetValue(cluster, out var named) && named == store;

    /// <summary>
    /// True where it counts and the other does not any more: it is of the same register and later, or of one that took that one's place by
    /// force, whatever versions the lost clusters have come to since; or it joins that one, which is forced.
    /// </summary>
    public bool Supersedes(StoreList other) => Lineage == other.Lineage
        ? Version > other.Version
        : Before.Contains(other.Lineage) || (other.IsForced && Joins.Contains(other.Lineage));

    /// <summary>
    /// True where it serves, as a store of its own says, and the other never will, though neither came after the other: of a list that
    /// joins others and one that followed one of these, the one serves which all of its stores have taken over.
    /// </summary>
    public bool ServesInPlaceOf(StoreList other) =>
        !IsForced && (Joins.Contains(other.Lineage) || (other.IsForced && other.Joins.Contains(Lineage)));

    /// <summary>True where the other is of a register before its own, whatever its version is.</summary>
    public bool IsAfterThatOf(StoreList other) => Before.Contains(other.Lineage) || Joins.Contains(other.Lineage);

    /// <summary>Those of some lists that no other one of them supersedes: one, unless they are of registers that began apart.</summary>
    public static IEnumerable<StoreList> Latest(IReadOnlyCollection<StoreList> lists) =>
        lists.Where(list => !lists.Any(other => other.Supersedes(list)));

    /// <summary>
    /// The next version, with other stores: above all that these have promised, also of a register that was given up by force, which may
    /// have come to higher versions.
    /// </summary>
    /// <param name="stores">Each cluster with what its store calls itself.</param>
    /// <param name="promised">The highest version under which one that comes has promised.</param>
    public StoreList Next(IEnumerable<KeyValuePair<ClusterId, Guid>> stores, long promised = 0) =>
        new(Math.Max(Version, promised) + 1, stores, Lineage, Before, Joins);

    /// <summary>
    /// The list with which survivors go on as another register (rule C13). It follows from this one and from who is lost: whoever forces
    /// the same makes the same list. Its version is above all that those that are left have promised, also to others that went on without
    /// them, or it would never serve.
    /// </summary>
    /// <param name="lost">Who is lost.</param>
    /// <param name="promised">The highest version that any of the others has promised.</param>
    public StoreList Forced(IEnumerable<ClusterId> lost, long promised = 0) => SwitchedOff.Is(ProtocolRule.ForcedListIsAnotherRegister)
        ? Next(Stores.RemoveRange(lost))
        : new(Math.Max(Version, promised) + 1, Stores.RemoveRange(lost), before: [Lineage, .. Before.Take(MostBefore - 1)], joins: Joins);

    /// <summary>
    /// The list with which survivors go on as one that were told of different losses, and have taken over forced lists of which none came
    /// after the other: without those that are lost. It follows from these alone, and from what was promised, as above.
    /// </summary>
    public static StoreList Joined(IReadOnlyCollection<StoreList> apart, IEnumerable<ClusterId> lost, long promised = 0) => new(
        Math.Max(apart.Max(list => list.Version), promised) + 1,
        apart.SelectMany(list => list.Stores).DistinctBy(store => store.Key).ExceptBy(lost, store => store.Key),
        before: [.. apart.SelectMany(list => list.Before).Distinct().Take(MostBefore)],
        joins: [.. apart.Select(list => list.Lineage).Concat(apart.SelectMany(list => list.Joins)).Distinct().Take(MostBefore)]);

    public override string ToString() => _inWords;
}
