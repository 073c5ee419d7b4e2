namespace Geo.Directory;

/// <summary>
/// Looks for grains that are remembered to be in a cluster out of reach, or that this cluster can place nowhere itself: in the rows of this
/// cluster, and in the clusters within reach, side by side. Nothing is acquired by it, nobody's round is disturbed, and a look waits for
/// nobody twice. Calls for one grain that have lost the same cluster at the same time share one look, and what all that were asked do not
/// have is not looked for again at once, so that a grain which did live in the lost cluster is refused as fast as before. Who has no room,
/// or does not answer, has not said so. A grain of which no cluster was lost is looked for each time: it may have begun elsewhere since.
/// </summary>
internal sealed class FreshLooks(
    DirectoryTable table, RoundRequests requests, ClusterReach reach, LiveConfiguration configuration, Draws draws,
    GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics,
    Func<Func<Task<Placement?>>, Task<Placement?>> start, CancellationToken lifetime)
{
    // Of what a silo answers at once, looks may take one part in so many; the rest is for rounds.
    private const int Share = 4;

    private readonly Dictionary<(GrainKey Key, ClusterId Lost), Task<Placement?>> _running = [];
    private readonly VainLooks _vain = new(options.MaxAcquisitions, options.RequestTimeout, time);
    private readonly Lock _lock = new();
    private bool _isClosed;

    // Every cluster may look for what it has lost in all others, and each of its silos asks one silo of each: where clusters are of one
    // size and settings, no silo is asked by all of them for more than the share.
    private int Limit => Math.Clamp(options.MaxRequests / Share / Math.Max(1, configuration.Others.Count), 1, options.MaxAcquisitions);

    /// <summary>
    /// Where the grain is by somebody's word of now; null when nobody who answers has it, or too many are looked for, or it was looked for
    /// just now.
    /// </summary>
    /// <exception cref="GeoUnavailableException">
    /// The store of the rows does not answer, or the row is damaged, or the directory has ended.
    /// </exception>
    public Task<Placement?> LookAsync(GrainKey key, ClusterId lost)
    {
        lock (_lock)
        {
            if (_isClosed)
            {
                return Task.FromException<Placement?>(Ended(key));
            }

            if (_running.TryGetValue((key, lost), out var running))
            {
                return running;
            }

            if (_vain.Counts((key, lost)))
            {
                return Task.FromResult<Placement?>(null);
            }

            if (_running.Count >= Limit)
            {
                metrics.Refused("fresh looks");
                return Task.FromResult<Placement?>(null);
            }

            running = start(() => RunAsync(key, lost));
            _running.Add((key, lost), running);
            return running;
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

    private static GeoUnavailableException Ended(GrainKey key, Exception? cause = null) =>
        new($"Grain '{key}' cannot be looked up: the directory of this silo has ended.", cause);

    private async Task<Placement?> RunAsync(GrainKey key, ClusterId lost)
    {
        try
        {
            var (found, isSure) = await FindAsync(key, lost);
            Note((key, lost), isVain: found is null && isSure && !lost.IsNone);
            return found;
        }
        catch (OperationCanceledException e) when (lifetime.IsCancellationRequested)
        {
            throw Ended(key, e);
        }
        finally
        {
            lock (_lock)
            {
                _running.Remove((key, lost));
            }
        }
    }

    /// <summary>Where the grain is, and whether all that were asked have said where it is not.</summary>
    private async Task<(Placement? Found, bool IsSure)> FindAsync(GrainKey key, ClusterId lost)
    {
        var read = await table.Rows.ReadAsync(DirectoryRows.KeyOf(key), lifetime);
        if (read.Unknown is not null)
        {
            throw new GeoUnavailableException($"Grain '{key}' cannot be looked up: {read.Unknown}.");
        }

        if (table.Describe(read.Row.Entry) is { } here)
        {
            table.ForgetHint(key, lost);
            return (here, true);
        }

        var others = configuration.Others.Where(other => other != lost && reach.DownFor(other) == TimeSpan.Zero).ToArray();
        var replies = await requests.FindAsync(key, new RunningRound(draws.Id()), others, lifetime);

        // The owner before one in doubt, and of these the one that will be left.
        var found = replies.Where(reply => reply.Node is not null).OrderByDescending(reply => reply.Kind == GsiReplyKind.InstanceAt)
            .ThenByDescending(reply => reply.From).FirstOrDefault();
        return found.Node is null
            ? (null, replies.All(reply => reply.Kind is GsiReplyKind.Pass or GsiReplyKind.Fail))
            : (table.Remember(key, new GsiEntry { State = GsiState.Cached, Owner = found.From, OwnerNode = found.Node }), true);
    }

    private void Note((GrainKey Key, ClusterId Lost) look, bool isVain)
    {
        lock (_lock)
        {
            if (isVain)
            {
                _vain.Add(look);
            }
            else
            {
                _vain.Remove(look);
            }
        }
    }
}
