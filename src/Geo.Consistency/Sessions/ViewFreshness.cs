namespace Geo.Consistency;

/// <summary>
/// How old what a view shows may be: all is seen that was confirmed when the last operation began that found or made the latest version.
/// When it ended, or when something newer was told, says nothing.
/// </summary>
internal sealed class ViewFreshness(TimeProvider time)
{
    // Of operations that may be on their way at one time; one that is older says nothing any more.
    private const int MaxBegun = 8;

    private readonly Queue<(long Operation, TwoClocks At)> _begun = [];
    private TwoClocks? _asOf;

    internal TimeSpan? Age => _asOf is { } at ? TwoClocks.Of(time).Since(at) : null;

    internal void Began(long operation)
    {
        if (_begun.Count == MaxBegun)
        {
            _begun.Dequeue();
        }

        _begun.Enqueue((operation, TwoClocks.Of(time)));
    }

    internal void Succeeded(long operation)
    {
        while (_begun.Count > 0 && _begun.Peek().Operation <= operation)
        {
            var (number, at) = _begun.Dequeue();
            _asOf = number == operation ? at : _asOf;
        }
    }
}
