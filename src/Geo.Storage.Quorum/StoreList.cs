using System.Collections.Immutable;
using System.Text;

namespace Geo.Storage.Quorum;

/// <summary>
/// The clusters that keep the register's values, each with its own store as that calls itself: the acceptors of a version. A cluster whose
/// store is another one now has lost what it promised and accepted, and must not count (rule R5). Neighbouring versions differ by one
/// cluster (R15).
/// </summary>
internal sealed class StoreList
{
    private readonly string _inWords;
    private readonly ulong _lineage;

    /// <param name="version">Its version, 1 at the beginning. Part of every ballot: it names the majority that the ballot asks.</param>
    /// <param name="stores">Each cluster with what its store calls itself.</param>
    /// <param name="lineage">The <see cref="Digest"/> of the list that the register began with; 0 where this is the one.</param>
    public StoreList(long version, IEnumerable<KeyValuePair<ClusterId, Guid>> stores, ulong lineage = 0)
    {
        (Version, Stores, _lineage) = (version, stores.ToImmutableSortedDictionary(), lineage);
        _inWords = $"{version}: {string.Join(", ", Stores.Select(s => $"{s.Key}={s.Value:N}"))}"
            + (lineage == 0 ? "" : $" since {lineage:x}");
        Digest = StableHash.Hash128(Encoding.UTF8.GetBytes(_inWords)).High;
    }

    public long Version { get; }

    public ImmutableSortedDictionary<ClusterId, Guid> Stores { get; }

    /// <summary>Goes with every request: an acceptor answers those alone that come from its own list.</summary>
    public ulong Digest { get; }

    /// <summary>The <see cref="Digest"/> of the list that the register began with: what has another one is another register.</summary>
    public ulong Lineage => _lineage == 0 ? Digest : _lineage;

    /// <summary>How many acceptors decide.</summary>
    public int Majority => (Stores.Count / 2) + 1;

    /// <summary>Below every ballot of this version, and above all of those before it.</summary>
    public Ballot Beginning => new(SwitchedOff.Is(ProtocolRule.BallotNamesItsList) ? 1 : Version, 0, 0);

    /// <summary>True when the store of a cluster is the one of this list.</summary>
    public bool Names(ClusterId cluster, Guid store) => Stores.TryGetValue(cluster, out var named) && named == store;

    /// <summary>The next version, with other stores.</summary>
    public StoreList Next(IEnumerable<KeyValuePair<ClusterId, Guid>> stores) => new(Version + 1, stores, Lineage);

    public override string ToString() => _inWords;
}
