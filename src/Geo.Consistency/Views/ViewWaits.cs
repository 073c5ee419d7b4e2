namespace Geo.Consistency;

/// <summary>How the waits of grains for their views end, on every host.</summary>
internal static class ViewWaits
{
    /// <summary>Waits for a view, and ends the wait.</summary>
    /// <param name="wait">The wait, which has begun.</param>
    /// <param name="grain">The grain, for people.</param>
    /// <param name="operation">What is waited for, until its token is set.</param>
    /// <exception cref="GeoOutcomeUnknownException">The time of the call that waits was up.</exception>
    public static async Task<T> ForAsync<T>(this IViewWait wait, GrainKey grain, Func<CancellationToken, Task<T>> operation)
    {
        using (wait)
        {
            try
            {
                return await operation(wait.GivenUp);
            }
            catch (OperationCanceledException e) when (wait.IsOverdue)
            {
                throw new GeoOutcomeUnknownException(
                    $"The latest version of {grain} could not be reached within the time of the call; the events raised stay queued, and "
                    + "whether they became part of a version is not known here.", e);
            }
        }
    }

    /// <inheritdoc cref="ForAsync{T}"/>
    public static Task ForAsync(this IViewWait wait, GrainKey grain, Func<CancellationToken, Task> operation) =>
        wait.ForAsync(grain, async token =>
        {
            await operation(token);
            return true;
        });
}
