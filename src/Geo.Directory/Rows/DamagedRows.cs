using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// The rows that could not be read, each version of which is counted and logged once, however often it is met. What a damaged row said is
/// not known, so that its grain is neither placed nor passed over here; all other grains go on.
/// </summary>
internal sealed class DamagedRows(DirectoryMetrics metrics, ILogger logger)
{
    // Of this many it is known that they were logged. In a store with more damaged rows each further one is counted only.
    private const int MaxRemembered = 1_000;

    private readonly HashSet<(string RowKey, ETag? ETag)> _known = [];
    private readonly Lock _lock = new();

    /// <summary>A row was met that cannot be read.</summary>
    /// <returns>What is to be told to who asked for it.</returns>
    public string Report(string rowKey, ETag? etag, Exception exception)
    {
        bool isNew;
        bool isLogged;
        lock (_lock)
        {
            isLogged = _known.Count < MaxRemembered;
            isNew = isLogged ? _known.Add((rowKey, etag)) : !_known.Contains((rowKey, etag));
        }

        if (isNew)
        {
            metrics.RowDamaged();
            if (isLogged)
            {
                logger.RowUnreadable(rowKey, exception);
            }
        }

        return $"the directory's row '{rowKey}' is damaged ({exception.Message}), and is left as it is. Restore it, or stop all silos of "
            + "this cluster, remove it from their row store, and start them";
    }
}
