using System.Globalization;
using Geo.Processes;

namespace Geo.Experiments.Soak;

/// <summary>
/// Starts a process as a supervisor does (systemd, Kubernetes): one that cannot start at present, most often because its store is away, is
/// started again after a pause that doubles up to a bound.
/// </summary>
/// <param name="within">How long it may take altogether until a start succeeds.</param>
/// <param name="time">The clock of the pauses.</param>
/// <param name="failed">Told of each start that failed.</param>
internal sealed class Starts(TimeSpan within, TimeProvider time, Action<string> failed)
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    /// <summary>Starts it.</summary>
    /// <param name="name">What messages call it.</param>
    /// <param name="start">One start; fails with a <see cref="ChildFailedException"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ChildFailedException">No start succeeded within the time.</exception>
    public async Task StartAsync(string name, Func<CancellationToken, Task> start, CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(within, time);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        var failures = 0;
        string? last = null;
        try
        {
            while (!await TryAsync())
            {
                await Task.Delay(BackOff.Doubled(++failures, FirstPause, LongestPause), time, end.Token);
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ChildFailedException(string.Create(
                CultureInfo.InvariantCulture,
                $"{name} could not be started within {within.TotalSeconds:0.#} s; {failures} starts failed")
                + (last is null ? "" : $", the last: {last}"));
        }

        async Task<bool> TryAsync()
        {
            try
            {
                await start(end.Token);
                return true;
            }
            catch (ChildFailedException error)
            {
                last = error.Message;
                failed(error.Message);
                return false;
            }
        }
    }
}
