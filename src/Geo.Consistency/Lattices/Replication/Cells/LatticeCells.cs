using System.Text;

namespace Geo.Consistency.Lattices;

/// <summary>The cells of a replica, by grain, and in buckets that all replicas have alike.</summary>
internal sealed class LatticeCells
{
    /// <summary>The number of buckets: what is asked for comes bucket by bucket.</summary>
    internal const int Buckets = 1024;

    private readonly Dictionary<GrainKey, LatticeCell> _byKey = [];
    private readonly List<LatticeCell>?[] _buckets = new List<LatticeCell>?[Buckets];

    internal int Count => _byKey.Count;

    internal IEnumerable<LatticeCell> All => _byKey.Values;

    internal LatticeCell? Find(GrainKey key) => _byKey.GetValueOrDefault(key);

    internal void Add(LatticeCell cell)
    {
        _byKey.Add(cell.Key, cell);
        (_buckets[BucketOf(cell.Key)] ??= []).Add(cell);
    }

    internal void Remove(LatticeCell cell)
    {
        _byKey.Remove(cell.Key);
        _buckets[BucketOf(cell.Key)]!.Remove(cell);
    }

    internal IReadOnlyList<LatticeCell> In(int bucket) => _buckets[bucket] is { } cells ? cells : [];

    internal static int BucketOf(GrainKey key) =>
        (int)(StableHash.Hash128(Encoding.UTF8.GetBytes(key.ToString())).Low % Buckets);
}
