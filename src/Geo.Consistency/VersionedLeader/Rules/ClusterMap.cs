using System.Collections;
using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>
/// A value for each of some clusters, in their order; immutable. One array, for there are few clusters and many grains that remember them.
/// </summary>
internal readonly record struct ClusterMap<T> : IEnumerable<KeyValuePair<ClusterId, T>>
{
    private readonly ImmutableArray<KeyValuePair<ClusterId, T>> _entries;

    private ClusterMap(ImmutableArray<KeyValuePair<ClusterId, T>> entries) => _entries = entries;

    internal int Count => Entries.Length;

    internal IEnumerable<T> Values => Entries.Select(e => e.Value);

    private ImmutableArray<KeyValuePair<ClusterId, T>> Entries => _entries.IsDefault ? [] : _entries;

    public ImmutableArray<KeyValuePair<ClusterId, T>>.Enumerator GetEnumerator() => Entries.GetEnumerator();

    IEnumerator<KeyValuePair<ClusterId, T>> IEnumerable<KeyValuePair<ClusterId, T>>.GetEnumerator() =>
        ((IEnumerable<KeyValuePair<ClusterId, T>>)Entries).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => ((IEnumerable)Entries).GetEnumerator();

    internal bool ContainsKey(ClusterId cluster) => IndexOf(cluster) >= 0;

    internal bool TryGetValue(ClusterId cluster, out T value)
    {
        var at = IndexOf(cluster);
        value = at < 0 ? default! : Entries[at].Value;
        return at >= 0;
    }

    internal T? GetValueOrDefault(ClusterId cluster) => TryGetValue(cluster, out var value) ? value : default;

    internal ClusterMap<T> SetItem(ClusterId cluster, T value)
    {
        var at = IndexOf(cluster);
        return new(at < 0 ? Entries.Insert(~at, new(cluster, value)) : Entries.SetItem(at, new(cluster, value)));
    }

    internal ClusterMap<T> Remove(ClusterId cluster)
    {
        var at = IndexOf(cluster);
        return at < 0 ? this : Count == 1 ? default : new(Entries.RemoveAt(at));
    }

    /// <summary>The place of a cluster; where it has none, the complement of the one that it would have.</summary>
    private int IndexOf(ClusterId cluster)
    {
        var entries = Entries;
        for (var i = 0; i < entries.Length; i++)
        {
            var order = entries[i].Key.CompareTo(cluster);
            if (order >= 0)
            {
                return order == 0 ? i : ~i;
            }
        }

        return ~entries.Length;
    }
}
