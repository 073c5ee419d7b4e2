namespace Geo.Consistency;

/// <summary>Completing tasks that perhaps nobody awaits any more.</summary>
internal static class Completions
{
    /// <summary>Fails the task, and counts the exception as seen: a waiter that was cancelled before must not bring it up again.</summary>
    internal static void TrySetFaulted<T>(this TaskCompletionSource<T> completion, Exception reason)
    {
        if (completion.TrySetException(reason))
        {
            _ = completion.Task.Exception;
        }
    }

    /// <inheritdoc cref="TrySetFaulted{T}"/>
    internal static void TrySetFaulted(this TaskCompletionSource completion, Exception reason)
    {
        if (completion.TrySetException(reason))
        {
            _ = completion.Task.Exception;
        }
    }
}
