using System.Collections.Concurrent;

namespace Geo.Experiments.Soak.Faults;

/// <summary>One at a time does something to a target, be it a fault or whoever puts things right.</summary>
internal sealed class Turns
{
    private readonly ConcurrentDictionary<string, SemaphoreSlim> _targets = [];

    /// <param name="target">What it is done to.</param>
    /// <param name="action">What is done.</param>
    /// <param name="cancellationToken">Ends the wait for the turn, not the action.</param>
    public async Task TakeAsync(string target, Func<Task> action, CancellationToken cancellationToken)
    {
        var turn = _targets.GetOrAdd(target, _ => new SemaphoreSlim(1));
        await turn.WaitAsync(cancellationToken);
        try
        {
            await action();
        }
        finally
        {
            turn.Release();
        }
    }
}
