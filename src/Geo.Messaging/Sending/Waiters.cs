namespace Geo.Messaging;

/// <summary>Those who wait for something to change, which all see together. To be used under its owner's lock.</summary>
internal sealed class Waiters
{
    private TaskCompletionSource? _change;

    /// <summary>Ends with the next change.</summary>
    public Task Wait() => (_change ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    /// <summary>Lets all go on, in the pool.</summary>
    public void End()
    {
        _change?.TrySetResult();
        _change = null;
    }
}
