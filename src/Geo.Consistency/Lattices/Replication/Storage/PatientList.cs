namespace Geo.Consistency.Lattices;

/// <summary>A list of a store, each of whose entries comes within a time; one that does not is left to itself.</summary>
internal sealed class PatientList(
    IAsyncEnumerable<StoreEntry> list, TimeSpan timeout, AbandonedOperations abandoned, TimeProvider time) : IAsyncDisposable
{
    private readonly IAsyncEnumerator<StoreEntry> _list = list.GetAsyncEnumerator();
    private bool _isAbandoned;

    internal StoreEntry Current => _list.Current;

    /// <summary>Goes to the next entry; false behind the last.</summary>
    /// <exception cref="GeoUnavailableException">The store did not answer in time.</exception>
    internal async Task<bool> NextAsync(CancellationToken cancellationToken)
    {
        var next = _list.MoveNextAsync();
        if (next.IsCompleted)
        {
            return await next;
        }

        var task = next.AsTask();
        if (await task.EndsWithinAsync(timeout, time, cancellationToken))
        {
            abandoned.Ended();
            return await task;
        }

        _isAbandoned = true;
        _ = abandoned.AddAsync(task);
        throw new GeoUnavailableException($"The store did not answer within {timeout}.");
    }

    public ValueTask DisposeAsync() => _isAbandoned ? default : _list.DisposeAsync();
}
