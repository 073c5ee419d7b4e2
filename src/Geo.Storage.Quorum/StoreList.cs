using System.Collections.Immutable;
using System.Text;

namespace Geo.Storage.Quorum;

/// <summary>
/// The own stores of all clusters as they were when the register began. A cluster whose store is another one now has lost what it promised
/// and accepted, and must not count (rule R5).
/// </summary>
internal sealed class StoreList
{
    private readonly string _inWords;

    /// <param name="version">The version of the configuration.</param>
    /// <param name="stores">Each cluster with what its store calls itself.</param>
    public StoreList(long version, IEnumerable<KeyValuePair<ClusterId, Guid>> stores)
    {
        Version = version;
        Stores = stores.ToImmutableSortedDictionary();
        _inWords = $"{version}: {string.Join(", ", Stores.Select(s => $"{s.Key}={s.Value:N}"))}";
        Digest = StableHash.Hash128(Encoding.UTF8.GetBytes(_inWords)).High;
    }

    public long Version { get; }

    public ImmutableSortedDictionary<ClusterId, Guid> Stores { get; }

    /// <summary>Goes with every request: an acceptor answers those alone that come from its own list.</summary>
    public ulong Digest { get; }

    public override string ToString() => _inWords;
}
