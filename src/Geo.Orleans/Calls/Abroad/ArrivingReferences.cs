namespace Geo.Orleans;

/// <summary>
/// Says, while a message of another cluster is read on this thread, which cluster its references of clients and their objects belong to:
/// they name it nowhere themselves.
/// </summary>
internal static class ArrivingReferences
{
    [ThreadStatic]
    private static ClusterId _origin;

    /// <summary>The cluster whose message is being read; none while no message is.</summary>
    public static ClusterId Origin => _origin;

    /// <summary>Begins reading a message; it must be read to its end without awaiting.</summary>
    public static Scope From(ClusterId cluster)
    {
        var scope = new Scope(_origin);
        _origin = cluster;
        return scope;
    }

    public readonly ref struct Scope(ClusterId before)
    {
        public void Dispose() => _origin = before;
    }
}
