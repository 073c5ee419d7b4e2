namespace Geo.Storage.Quorum;

/// <summary>
/// How often an acceptor tries for one request: while somebody may still wait for the answer, and not without end where no time passes. A
/// try is lost only to a step that has made progress.
/// </summary>
internal sealed class Tries(TimeProvider time, TimeSpan limit)
{
    private const int Most = 100;

    private readonly long _began = time.GetTimestamp();
    private int _made;

    /// <summary>Counts a try. The first one may always be made.</summary>
    public bool MayMake() => _made++ == 0 || (_made <= Most && time.GetElapsedTime(_began) < limit);
}
