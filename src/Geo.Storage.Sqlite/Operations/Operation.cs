namespace Geo.Storage.Sqlite;

/// <summary>
/// An operation on its way through a queue, with its caller waiting: either the caller gives up first and it is never begun, or a thread
/// begins it.
/// </summary>
/// <typeparam name="TResult">The outcome.</typeparam>
internal abstract class Operation<TResult> : IOperation
{
    // Continuations go to the caller's scheduler, never onto the thread that owns the connection.
    private readonly TaskCompletionSource<TResult> _end = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private int _begun;

    public bool TryBegin() => Interlocked.Exchange(ref _begun, 1) == 0;

    public abstract void Fail(string reason);

    public void End(TResult result) => _end.TrySetResult(result);

    /// <summary>Waits for the outcome, or until the caller gives up.</summary>
    public async ValueTask<TResult> EndedAsync(CancellationToken cancellationToken)
    {
        using var registration = cancellationToken.UnsafeRegister(
            static (state, token) => ((Operation<TResult>)state!).GiveUp(token), this);
        return await _end.Task;
    }

    /// <summary>Ends the wait of a caller who no longer wants it.</summary>
    protected virtual void GiveUp(CancellationToken cancellationToken)
    {
        TryBegin();
        EndAsCancelled(cancellationToken);
    }

    protected void EndAsCancelled(CancellationToken cancellationToken) => _end.TrySetCanceled(cancellationToken);

    protected void EndWith(Exception exception) => _end.TrySetException(exception);
}
