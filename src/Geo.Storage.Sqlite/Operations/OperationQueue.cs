namespace Geo.Storage.Sqlite;

/// <summary>A bounded queue from which threads take operations in batches.</summary>
internal sealed class OperationQueue<T>(int bound)
{
    private readonly object _gate = new();
    private readonly Queue<T> _waiting = new();
    private bool _closed;

    /// <summary>Adds an operation; false when the queue is full.</summary>
    /// <exception cref="ObjectDisposedException">The queue is closed.</exception>
    public bool TryAdd(T operation)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_closed, typeof(SqliteConditionalStore));
            if (_waiting.Count >= bound)
            {
                return false;
            }

            _waiting.Enqueue(operation);
            Monitor.Pulse(_gate);
            return true;
        }
    }

    /// <summary>Waits for operations and takes those that are there, up to a limit; false when the queue is closed and empty.</summary>
    public bool Take(List<T> into, int limit)
    {
        into.Clear();
        lock (_gate)
        {
            while (_waiting.Count == 0)
            {
                if (_closed)
                {
                    return false;
                }

                Monitor.Wait(_gate);
            }

            while (into.Count < limit && _waiting.TryDequeue(out var operation))
            {
                into.Add(operation);
            }

            return true;
        }
    }

    /// <summary>Takes no more; what waits can still be taken.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _closed = true;
            Monitor.PulseAll(_gate);
        }
    }
}
