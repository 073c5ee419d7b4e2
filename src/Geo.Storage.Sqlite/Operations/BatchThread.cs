namespace Geo.Storage.Sqlite;

/// <summary>A thread that takes operations from a queue in batches and runs each batch in one transaction.</summary>
/// <remarks>SQLite blocks its thread while it waits for the disk or another process, which threads of the pool must not.</remarks>
internal sealed class BatchThread<TOperation>
    where TOperation : IOperation
{
    private readonly OperationQueue<TOperation> _queue;
    private readonly int _maxBatch;
    private readonly Func<IBatch<TOperation>> _open;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Starts the thread.</summary>
    /// <param name="name">Its name, for debuggers.</param>
    /// <param name="queue">Where operations come from; the thread ends when it is closed.</param>
    /// <param name="maxBatch">The most operations in one transaction.</param>
    /// <param name="open">Opens a connection: for the first batch, and again after a failure.</param>
    public BatchThread(string name, OperationQueue<TOperation> queue, int maxBatch, Func<IBatch<TOperation>> open)
    {
        (_queue, _maxBatch, _open) = (queue, maxBatch, open);
        new Thread(Run) { Name = name, IsBackground = true }.Start();
    }

    /// <summary>Ends when the thread has closed its connection.</summary>
    public Task Ended => _ended.Task;

    private void Run()
    {
        var operations = new List<TOperation>();
        IBatch<TOperation>? batch = null;
        while (_queue.Take(operations, _maxBatch))
        {
            operations.RemoveAll(operation => !operation.TryBegin());
            if (operations.Count == 0)
            {
                continue;
            }

            try
            {
                batch ??= _open();
                batch.Run(operations);
            }
            catch (SqliteFailure failure)
            {
                // After trouble with the disk a connection is not to be relied on; a new one shows what is in the file.
                batch?.Dispose();
                batch = null;
                operations.ForEach(operation => operation.Fail(failure.IsBusy
                    ? $"another process held the SQLite file for longer than the busy time-out ({failure.Message})"
                    : $"SQLite: {failure.Message}"));
            }
        }

        batch?.Dispose();
        _ended.SetResult();
    }
}
