namespace Geo.Consistency;

/// <summary>
/// How old what a view shows may be: all is seen that was confirmed when the last operation began that found or made the latest version.
/// When it ended, or when something newer was told, says nothing.
/// </summary>
internal sealed class ViewFreshness(TimeProvider time)
{
    private (long Operation, long At) _begun;
    private long? _asOf;

    internal TimeSpan? Age => _asOf is { } at ? time.GetElapsedTime(at) : null;

    internal void Began(long operation) => _begun = (operation, time.GetTimestamp());

    internal void Succeeded(long operation) => _asOf = operation == _begun.Operation ? _begun.At : _asOf;
}
