namespace Geo.Directory;

/// <summary>
/// The acquisitions that run: calls for one grain at the same time share one. Each runs to its end, whoever waits for it, and their number
/// is bounded.
/// </summary>
/// <param name="acquisition">Acquires.</param>
/// <param name="table">Says how many grains the silo has.</param>
/// <param name="options">The bounds.</param>
/// <param name="metrics">Counts what is refused.</param>
/// <param name="start">Runs one where the directory's work runs.</param>
/// <param name="lifetime">The directory's end.</param>
internal sealed class SharedAcquisitions(
    Acquisition acquisition, DirectoryTable table, GlobalDirectoryOptions options, DirectoryMetrics metrics,
    Func<Func<Task<Placement>>, Task<Placement>> start, CancellationToken lifetime)
{
    private readonly Dictionary<(GrainKey Key, SingleInstanceMode Mode), Task<Placement>> _running = [];
    private readonly Lock _lock = new();
    private bool _isClosed;

    /// <summary>The acquisition of a grain that runs, or a new one.</summary>
    /// <exception cref="GeoUnavailableException">Too many run, or the silo has too many grains.</exception>
    /// <exception cref="ObjectDisposedException">The directory has ended.</exception>
    public Task<Placement> Join(GrainKey key, string node, SingleInstanceMode mode, StoreRead read)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isClosed, typeof(GlobalDirectory));
            if (!_running.TryGetValue((key, mode), out var running))
            {
                CheckRoom(key);
                running = start(() => RunAsync(key, node, mode, read));
                _running.Add((key, mode), running);
            }

            return running;
        }
    }

    /// <summary>Does something while no acquisition of a grain runs or begins.</summary>
    /// <returns>False where one runs, and nothing was done.</returns>
    public bool WhileNone(GrainKey key, Action action)
    {
        lock (_lock)
        {
            if (_running.ContainsKey((key, SingleInstanceMode.Optimistic)) || _running.ContainsKey((key, SingleInstanceMode.Pessimistic)))
            {
                return false;
            }

            action();
            return true;
        }
    }

    /// <summary>Begins no more.</summary>
    /// <returns>Those that run.</returns>
    public Task[] Close()
    {
        lock (_lock)
        {
            _isClosed = true;
            return [.. _running.Values];
        }
    }

    private void CheckRoom(GrainKey key)
    {
        var full = _running.Count >= options.MaxAcquisitions
            ? $"{options.MaxAcquisitions} grains are being placed by this silo already (MaxAcquisitions)"
            : table.HeldCount >= options.MaxHeldRows ? $"this silo has {options.MaxHeldRows} grains already (MaxHeldRows)" : null;
        if (full is not null)
        {
            metrics.Refused("acquisitions");
            throw new GeoUnavailableException($"Grain '{key}' cannot be placed: {full}. Try again when there is room, or raise the limit.");
        }
    }

    private async Task<Placement> RunAsync(GrainKey key, string node, SingleInstanceMode mode, StoreRead read)
    {
        try
        {
            return await acquisition.RunAsync(key, node, mode, read, lifetime);
        }
        finally
        {
            lock (_lock)
            {
                _running.Remove((key, mode));
            }
        }
    }
}
