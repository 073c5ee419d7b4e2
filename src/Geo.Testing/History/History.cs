namespace Geo.Testing;

/// <summary>
/// Records when operations were called and when they returned, in one total order. Safe to use from several threads: the order is then a
/// true one, because a call is recorded before it begins and a return after it has ended.
/// </summary>
/// <typeparam name="TOperation">What is asked for; its text shows in failures.</typeparam>
/// <typeparam name="TResult">What comes back; compared with <see cref="EqualityComparer{T}.Default"/>.</typeparam>
public sealed class History<TOperation, TResult>
{
    private readonly Lock _lock = new();
    private readonly List<HistoryOperation<TOperation, TResult>> _operations = [];
    private long _place;

    /// <summary>The operations recorded so far, in the order of their calls.</summary>
    public IReadOnlyList<HistoryOperation<TOperation, TResult>> Operations
    {
        get
        {
            lock (_lock)
            {
                return [.. _operations];
            }
        }
    }

    /// <summary>The part of this history that is about one object.</summary>
    public History<TOperation, TResult> Only(string key)
    {
        var part = new History<TOperation, TResult>();
        part._operations.AddRange(Operations.Where(o => o.Key == key));
        return part;
    }

    /// <summary>Records that an operation is about to be called.</summary>
    /// <param name="key">The object that it is called on.</param>
    /// <param name="process">Who calls it, for people.</param>
    /// <param name="operation">What is asked for.</param>
    /// <returns>The operation, on which the return is recorded; leave it open when the outcome is unknown.</returns>
    public HistoryOperation<TOperation, TResult> Call(string key, string process, TOperation operation)
    {
        lock (_lock)
        {
            var called = new HistoryOperation<TOperation, TResult>(this, key, process, operation, ++_place);
            _operations.Add(called);
            return called;
        }
    }

    internal long NextPlace()
    {
        lock (_lock)
        {
            return ++_place;
        }
    }

    internal void Remove(HistoryOperation<TOperation, TResult> operation)
    {
        lock (_lock)
        {
            _operations.RemoveAt(_operations.LastIndexOf(operation));
        }
    }
}
