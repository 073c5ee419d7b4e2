namespace Geo;

/// <summary>Waits that do not trust the other side to end them.</summary>
internal static class Patience
{
    private const ConfigureAwaitOptions Quietly = ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing;

    /// <summary>Waits until a task has ended, but no longer than the limit and not after the token is set. Never throws.</summary>
    /// <returns>True when the task has ended, however; false when it goes on without being waited for.</returns>
    public static async ValueTask<bool> EndsWithinAsync(
        this Task task, TimeSpan limit, TimeProvider time, CancellationToken cancellationToken)
    {
        if (!task.IsCompleted)
        {
            await EndAsync(task).WaitAsync(limit, time, cancellationToken).ConfigureAwait(Quietly);
        }

        return task.IsCompleted;
    }

    /// <summary>The end of a task, observed, on the caller's scheduler.</summary>
    public static async Task EndAsync(Task task) => await task.ConfigureAwait(Quietly);
}
