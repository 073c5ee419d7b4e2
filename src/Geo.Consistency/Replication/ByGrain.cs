namespace Geo.Consistency;

/// <summary>Compares what there is one of a grain by the grain, so that a set of them is a table that keeps no key beside each.</summary>
internal sealed class ByGrain<T>(Func<T, GrainKey> grain) : IEqualityComparer<T>, IAlternateEqualityComparer<GrainKey, T>
    where T : class
{
    /// <summary>An empty table.</summary>
    internal static HashSet<T> Table(Func<T, GrainKey> grain) => new(new ByGrain<T>(grain));

    public bool Equals(T? x, T? y) => ReferenceEquals(x, y) || (x is not null && y is not null && grain(x) == grain(y));

    public bool Equals(GrainKey alternate, T other) => grain(other) == alternate;

    public int GetHashCode(T obj) => grain(obj).GetHashCode();

    public int GetHashCode(GrainKey alternate) => alternate.GetHashCode();

    /// <exception cref="NotSupportedException">A key alone makes no entry.</exception>
    public T Create(GrainKey alternate) => throw new NotSupportedException();
}
