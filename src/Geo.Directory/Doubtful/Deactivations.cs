using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Ends local instances for the directory and waits for each no longer than <see cref="GlobalDirectoryOptions.DeactivationTimeout"/>: a
/// call that never ends on an instance keeps that one row yielding, and nothing else. A deactivation that takes longer goes on by itself;
/// it is not begun a second time, and who asked for it is told when it has ended.
/// </summary>
internal sealed class Deactivations(
    ILocalInstances instances, GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics, ILogger logger)
{
    private readonly HashSet<GrainKey> _running = [];
    private readonly Lock _lock = new();

    /// <summary>Raised when a deactivation that was not waited for any more has ended.</summary>
    public event Action? EndedLate;

    /// <summary>Ends this cluster's instance of a grain.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="node">The node that has the instance. One that was declared dead meanwhile may not have been told.</param>
    /// <param name="reason">Why, for people.</param>
    /// <param name="cancellationToken">The directory's end.</param>
    /// <returns>True when it is gone; false when it is not known to be, and to be asked for again.</returns>
    /// <remarks>Throws what the host throws.</remarks>
    public async ValueTask<bool> EndAsync(GrainKey key, string node, string reason, CancellationToken cancellationToken)
    {
        if (!TryBegin(key, reason, out var ending))
        {
            return false;
        }

        var limit = SwitchedOff.Is(ProtocolRule.EndIsBounded) ? LongestWait.Limit : options.DeactivationTimeout;
        if (await ending.EndsWithinAsync(limit, time, cancellationToken))
        {
            Forget(key);
            await ending;
            return instances.StateOf(node) != NodeState.Unfenced || SwitchedOff.Is(ProtocolRule.UnfencedIsNotGone);
        }

        if (!cancellationToken.IsCancellationRequested)
        {
            metrics.BoundHit("deactivation");
            logger.DeactivationOverdue(key, options.DeactivationTimeout);
        }

        _ = EndLateAsync(key, ending);
        return false;
    }

    private bool TryBegin(GrainKey key, string reason, out Task ending)
    {
        lock (_lock)
        {
            ending = Task.CompletedTask;
            if (_running.Count >= options.MaxDeactivations && !_running.Contains(key))
            {
                metrics.Refused("deactivations");
                return false;
            }

            if (!_running.Add(key))
            {
                return false;
            }
        }

        ending = BeginAsync(key, reason);
        return true;
    }

    // The host's own exceptions, synchronous ones too, become the task's.
    private async Task BeginAsync(GrainKey key, string reason) => await instances.DeactivateAsync(key, reason);

    private async Task EndLateAsync(GrainKey key, Task ending)
    {
        await Patience.EndAsync(ending);
        Forget(key);
        if (ending.IsFaulted)
        {
            logger.YieldFailed(key, null, ending.Exception.GetBaseException());
        }

        EndedLate?.Invoke();
    }

    private void Forget(GrainKey key)
    {
        lock (_lock)
        {
            _running.Remove(key);
        }
    }
}
