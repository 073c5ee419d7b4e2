namespace Geo.Messaging;

/// <summary>Those who wait for something to change, which all see together. To be used under its owner's lock.</summary>
internal sealed class Waiters
{
    private TaskCompletionSource? _change;

    /// <summary>True when there are some. From any thread.</summary>
    public bool Any => Volatile.Read(ref _change) is not null;

    public Task Wait() => (_change ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    public void End()
    {
        _change?.TrySetResult();
        _change = null;
    }
}
