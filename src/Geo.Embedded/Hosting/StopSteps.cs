namespace Geo;

/// <summary>How the parts of a silo are ended, the newest first. Each has its turn, however the end of the others goes.</summary>
/// <param name="time">The clock of the limit.</param>
/// <param name="failed">Logs what went wrong, and the part.</param>
/// <param name="endHere">Has a promise end on the present scheduler; null where awaits need not keep it.</param>
internal sealed class StopSteps(TimeProvider time, Action<Exception, string> failed, Func<Task, Task>? endHere = null)
{
    private readonly Stack<(string Part, Func<ValueTask> End)> _steps = new();

    /// <summary>Adds a part that was made.</summary>
    /// <param name="part">What it is, for people.</param>
    /// <param name="end">Ends it.</param>
    public void Add(string part, Func<ValueTask> end) => _steps.Push((part, end));

    /// <summary>Adds a part that ends at once.</summary>
    public void Add(string part, Action end) => Add(part, () =>
    {
        end();
        return default;
    });

    /// <summary>Ends all parts, once.</summary>
    /// <param name="limit">How long each is waited for.</param>
    /// <returns>What went wrong; it has been logged.</returns>
    public async Task<IReadOnlyList<Exception>> RunAsync(TimeSpan limit)
    {
        List<Exception> failures = [];
        while (_steps.TryPop(out var step))
        {
            try
            {
                await EndAsync(step.Part, step.End, limit).ConfigureAwait(endHere is not null);
            }
            catch (Exception e)
            {
                failed(e, step.Part);
                failures.Add(e);
            }
        }

        return failures;
    }

    private async Task EndAsync(string part, Func<ValueTask> end, TimeSpan limit)
    {
        var ending = end().AsTask();
        if (!ending.IsCompleted)
        {
            var context = endHere is null ? ConfigureAwaitOptions.None : ConfigureAwaitOptions.ContinueOnCapturedContext;
            await (endHere?.Invoke(ending) ?? ending).WaitAsync(limit, time)
                .ConfigureAwait(context | ConfigureAwaitOptions.SuppressThrowing);
        }

        if (ending.IsCompleted)
        {
            await ending.ConfigureAwait(endHere is not null);
            return;
        }

        _ = HearAsync(part, ending);
        throw new TimeoutException($"The {part} had not ended {limit} after it was told to; it is left to itself.");
    }

    /// <summary>The end of a part that is not waited for any more.</summary>
    private async Task HearAsync(string part, Task ending)
    {
        try
        {
            await ending.ConfigureAwait(endHere is not null);
        }
        catch (Exception e)
        {
            failed(e, part);
        }
    }
}
