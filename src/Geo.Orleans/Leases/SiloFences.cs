using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Orleans;

/// <summary>
/// Fences dead silos off, so that their grains can be taken over: no lease is renewed once the fence stands, and the last one has run out
/// when a fence's wait ends.
/// </summary>
internal sealed class SiloFences(IConditionalStore rows, TimeSpan duration, TimeProvider time, ILogger logger) : IDisposable
{
    // Clocks of two machines run at almost the same rate: a tenth more covers what is missing.
    private readonly TimeSpan _wait = duration * 1.1;
    private readonly ConcurrentDictionary<string, Lazy<Task<bool>>> _fencing = new(StringComparer.Ordinal);
    private readonly CancellationTokenSource _lifetime = new();

    /// <summary>True when the silo certainly serves no call any more. Never waits; the first question starts the fencing.</summary>
    /// <param name="node">A silo that is not, or no longer, a living member of the cluster.</param>
    /// <param name="isDead">
    /// True when the membership says that it is dead; false when the membership does not know it, in which case it is fenced only after it
    /// has let its lease run out.
    /// </param>
    public bool IsGone(string node, bool isDead)
    {
        var fencing = _fencing.GetOrAdd(
            node,
            static (key, own) => new Lazy<Task<bool>>(() => own.Fences.FenceAsync(key, own.IsDead)),
            (Fences: this, IsDead: isDead)).Value;
        if (!fencing.IsCompletedSuccessfully)
        {
            return false;
        }

        if (!fencing.Result)
        {
            // It was alive after all, or could not be fenced: the next question starts over.
            _fencing.TryRemove(node, out _);
        }

        return fencing.Result;
    }

    public void Dispose()
    {
        _lifetime.Cancel();
        _lifetime.Dispose();
    }

    private async Task<bool> FenceAsync(string node, bool isDead)
    {
        var cancellationToken = _lifetime.Token;
        try
        {
            var row = await rows.ReadAsync(LeaseRow.KeyOf(node), cancellationToken);
            if (!isDead && !LeaseRow.IsFenced(row))
            {
                await Task.Delay(_wait, time, cancellationToken);
            }

            if (!LeaseRow.IsFenced(row))
            {
                // A silo that renewed meanwhile lives, and makes this write fail.
                var written = row.Outcome == StoreReadOutcome.Unknown
                    ? StoreWrite.Unknown(row.Reason!)
                    : await rows.WriteAsync(LeaseRow.KeyOf(node), LeaseRow.Fenced, row.ETag, cancellationToken);
                if (written.Outcome != StoreWriteOutcome.Applied)
                {
                    return false;
                }
            }

            await Task.Delay(_wait, time, cancellationToken);
            logger.SiloFenced(node);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }
}
