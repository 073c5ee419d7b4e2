using System.Collections.Concurrent;

namespace Geo.Experiments.Soak.Faults;

/// <summary>Brings the faults of a plan in their time, and ends each that it has begun, whatever happens meanwhile.</summary>
/// <param name="turns">Whose turn it is with a target.</param>
/// <param name="begin">Begins a fault; false where there is nothing that it could happen to.</param>
/// <param name="end">Ends it.</param>
/// <param name="clock">The time of the run.</param>
/// <param name="say">Told of each fault.</param>
internal sealed class FaultBringer(
    Turns turns, Func<Fault, Task<bool>> begin, Func<Fault, Task> end, SoakClock clock, Action<string> say)
{
    private readonly ConcurrentQueue<Fault> _brought = [];

    /// <summary>The faults that happened.</summary>
    public IReadOnlyList<Fault> Brought => [.. _brought];

    /// <summary>Brings one. What it meets on the way, it throws after the fault's end.</summary>
    /// <param name="fault">The fault.</param>
    /// <param name="stop">The fault ends at once; one that has not begun never does.</param>
    public async Task BringAsync(Fault fault, CancellationToken stop)
    {
        await clock.UntilAsync(fault.At, stop);

        // On a busy machine a process may take longer to start than the plan has room for.
        await turns.TakeAsync(fault.Target, () => BringInTurnAsync(fault, stop), stop);
    }

    private async Task BringInTurnAsync(Fault fault, CancellationToken stop)
    {
        var from = clock.Elapsed;
        try
        {
            if (!await begin(fault))
            {
                say($"{fault}: left out, it has ended before");
                return;
            }

            _brought.Enqueue(fault);
            say($"{fault}");
            await clock.UntilAsync(from + fault.For, stop)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        }
        finally
        {
            await end(fault);
        }
    }
}
