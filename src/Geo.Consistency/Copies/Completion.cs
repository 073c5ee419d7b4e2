namespace Geo.Consistency;

/// <summary>
/// A task that a view completes and a caller may cancel his wait for. What awaits it goes on on the scheduler it was awaited on and on
/// no other on the way, which <c>Task.WaitAsync</c> does not promise; never inside the completing call.
/// </summary>
internal sealed class Completion<T>
{
    private readonly TaskCompletionSource<T> _source = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenRegistration _registration;

    internal Completion(CancellationToken cancellationToken)
    {
        if (cancellationToken.CanBeCanceled)
        {
            _registration = cancellationToken.UnsafeRegister(
                static (source, token) => ((TaskCompletionSource<T>)source!).TrySetCanceled(token), _source);
        }
    }

    internal Task<T> Task => _source.Task;

    internal void TrySetResult(T result)
    {
        _registration.Unregister();
        _source.TrySetResult(result);
    }

    internal void TrySetFaulted(Exception reason)
    {
        _registration.Unregister();
        if (_source.TrySetException(reason))
        {
            // Counted as seen: perhaps nobody awaits it any more.
            _ = _source.Task.Exception;
        }
    }
}
