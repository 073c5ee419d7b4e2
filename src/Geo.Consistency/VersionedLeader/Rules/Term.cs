namespace Geo.Consistency;

/// <summary>
/// When who led: every decision belongs to one term, and a later term's history wins. The incarnation of the leader's memory is part of it,
/// because a leader that has lost its memory cannot know which counters it had used.
/// </summary>
/// <param name="Counter">Grows with every term, and is no lower than the clock when it begins; 0 for none.</param>
/// <param name="Cluster">The leader's cluster.</param>
/// <param name="Incarnation">The leader's memory.</param>
internal readonly record struct Term(long Counter, ClusterId Cluster, long Incarnation) : IComparable<Term>
{
    /// <summary>More terms than a grain can have; no term above is taken from anybody, so that there is always room for the next.</summary>
    internal const long MaxCounter = 1L << 56;

    internal bool IsNone => Counter == 0;

    public int CompareTo(Term other)
    {
        var byCounter = Counter.CompareTo(other.Counter);
        var byCluster = byCounter != 0 ? byCounter : Cluster.CompareTo(other.Cluster);
        return byCluster != 0 ? byCluster : Incarnation.CompareTo(other.Incarnation);
    }

    public static bool operator <(Term left, Term right) => left.CompareTo(right) < 0;

    public static bool operator >(Term left, Term right) => left.CompareTo(right) > 0;

    public static bool operator <=(Term left, Term right) => left.CompareTo(right) <= 0;

    public static bool operator >=(Term left, Term right) => left.CompareTo(right) >= 0;

    internal static Term Max(Term left, Term right) => left > right ? left : right;

    public override string ToString() => $"{Counter}/{Cluster}/{Incarnation:x}";
}
