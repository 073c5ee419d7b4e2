namespace Geo.Consistency;

/// <summary>
/// How old what a view shows may be: all is seen that was confirmed when the last operation began that found or made the latest version.
/// When it ended, or when something newer was told, says nothing.
/// </summary>
/// <remarks>Not thread-safe. It is given the clock each time, always the same one, so that it is small.</remarks>
internal struct ViewFreshness
{
    // Of operations that may be on their way at one time; one that is older says nothing any more.
    private const int MaxBegun = 8;

    // Null while none is on its way. No clock says the beginning of time, which stands for no operation yet.
    private Queue<(long Operation, TwoClocks At)>? _begun;
    private TwoClocks _asOf;

    /// <summary>True while no operation has succeeded.</summary>
    internal readonly bool IsNone => _asOf == default;

    internal readonly TimeSpan? Age(TimeProvider time) => IsNone ? null : TwoClocks.Of(time).Since(_asOf);

    internal void Began(long operation, TimeProvider time)
    {
        _begun ??= Spare<Queue<(long, TwoClocks)>>.Take();
        if (_begun.Count == MaxBegun)
        {
            _begun.Dequeue();
        }

        _begun.Enqueue((operation, TwoClocks.Of(time)));
    }

    internal void Succeeded(long operation)
    {
        while (_begun is { Count: > 0 } && _begun.Peek().Operation <= operation)
        {
            var (number, at) = _begun.Dequeue();
            _asOf = number == operation ? at : _asOf;
        }

        if (_begun is { Count: 0 } unused)
        {
            _begun = null;
            Spare<Queue<(long, TwoClocks)>>.Give(unused);
        }
    }
}
