namespace Geo.Directory;

/// <summary>
/// Looks for grains that are remembered to be in a cluster out of reach: in the rows of this cluster, and in the clusters within reach,
/// side by side. Nothing is acquired by it, nobody's round is disturbed, and nobody who does not answer is waited for twice. Calls for one
/// grain at the same time share one look, and what was found nowhere is not looked for again at once, so that a grain which did live in
/// the lost cluster is refused as fast as before.
/// </summary>
internal sealed class FreshLooks(
    DirectoryTable table, RoundRequests requests, ClusterReach reach, LiveConfiguration configuration, Draws draws,
    GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics,
    Func<Func<Task<Placement?>>, Task<Placement?>> start, CancellationToken lifetime)
{
    private readonly Dictionary<GrainKey, Task<Placement?>> _running = [];

    // When a grain was last found nowhere.
    private readonly Dictionary<GrainKey, long> _vain = [];
    private readonly Lock _lock = new();

    /// <summary>Where the grain is by somebody's word of now; null when nobody who answers has it.</summary>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer, or the row is damaged.</exception>
    public Task<Placement?> LookAsync(GrainKey key, ClusterId lost)
    {
        lock (_lock)
        {
            if (_running.TryGetValue(key, out var running))
            {
                return running;
            }

            if (_vain.TryGetValue(key, out var since) && time.GetElapsedTime(since) < options.RequestTimeout)
            {
                return Task.FromResult<Placement?>(null);
            }

            if (_running.Count >= options.MaxAcquisitions)
            {
                metrics.Refused("fresh looks");
                return Task.FromResult<Placement?>(null);
            }

            running = start(() => RunAsync(key, lost));
            _running.Add(key, running);
            return running;
        }
    }

    private async Task<Placement?> RunAsync(GrainKey key, ClusterId lost)
    {
        try
        {
            var found = await FindAsync(key, lost);
            Note(key, found is null);
            return found;
        }
        finally
        {
            lock (_lock)
            {
                _running.Remove(key);
            }
        }
    }

    private async Task<Placement?> FindAsync(GrainKey key, ClusterId lost)
    {
        var read = await table.Rows.ReadAsync(DirectoryRows.KeyOf(key), lifetime);
        if (read.Unknown is not null)
        {
            throw new GeoUnavailableException($"Grain '{key}' cannot be looked up: {read.Unknown}.");
        }

        if (table.Describe(read.Row.Entry) is { } here)
        {
            table.ForgetHint(key, lost);
            return here;
        }

        var others = configuration.Others.Where(other => other != lost && reach.DownFor(other) == TimeSpan.Zero).ToArray();
        var replies = await requests.FindAsync(key, new RunningRound(draws.Id()), others, lifetime);

        // The owner before one in doubt, and of these the one that will be left.
        var found = replies.Where(reply => reply.Node is not null).OrderByDescending(reply => reply.Kind == GsiReplyKind.InstanceAt)
            .ThenByDescending(reply => reply.From).FirstOrDefault();
        return found.Node is null
            ? null
            : table.Remember(key, new GsiEntry { State = GsiState.Cached, Owner = found.From, OwnerNode = found.Node });
    }

    private void Note(GrainKey key, bool isVain)
    {
        lock (_lock)
        {
            _vain.Remove(key);
            if (isVain)
            {
                if (_vain.Count >= options.MaxAcquisitions)
                {
                    _vain.Clear();
                }

                _vain.Add(key, time.GetTimestamp());
            }
        }
    }
}
