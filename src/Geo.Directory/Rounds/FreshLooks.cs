namespace Geo.Directory;

/// <summary>
/// Looks for grains that are remembered to be in a cluster out of reach, or that this cluster can place nowhere itself: in the rows of this
/// cluster, and in the clusters within reach, side by side. Nothing is acquired by it, nobody's round is disturbed, and a look waits for
/// nobody twice. Calls for one grain that have lost the same cluster at the same time share one look, and what all that were asked do not
/// have is not looked for again at once, so that a grain which did live in the lost cluster is refused as fast as before. Who has no room,
/// or does not answer, has not said so: a look that had to wait for it in vain counts for as long as it took, so that calls one after
/// another wait for half of the time at most. A grain of which no cluster was lost is looked for each time: it may have begun elsewhere
/// since.
/// </summary>
internal sealed class FreshLooks(
    DirectoryTable table, RoundRequests requests, ClusterReach reach, LiveConfiguration configuration, Draws draws,
    GlobalDirectoryOptions options, TimeProvider time, DirectoryMetrics metrics,
    Func<Func<Task<Placement?>>, Task<Placement?>> start, CancellationToken lifetime)
{
    // Of what a silo answers at once, looks may take one part in so many; the rest is for rounds.
    private const int Share = 4;

    private readonly Dictionary<(GrainKey Key, ClusterId Lost), Task<Placement?>> _running = [];
    private readonly VainLooks _vain = new(options.MaxAcquisitions, time);
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
        var started = time.GetTimestamp();
        try
        {
            var (found, isSure, unknown) = await FindAsync(key, lost);
            if (!lost.IsNone)
            {
                Note((key, lost), found is not null ? null : isSure ? options.RequestTimeout : time.GetElapsedTime(started));
            }

            return unknown is null ? found : throw new GeoUnavailableException($"Grain '{key}' cannot be looked up: {unknown}.");
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

    /// <summary>
    /// Where the grain is; else whether all that were asked have said that it is not with them, and why the own rows have not.
    /// </summary>
    private async Task<(Placement? Found, bool IsSure, string? Unknown)> FindAsync(GrainKey key, ClusterId lost)
    {
        using var located = CancellationTokenSource.CreateLinkedTokenSource(lifetime);
        var reading = table.Rows.ReadAsync(DirectoryRows.KeyOf(key), lifetime, attempts: 1).AsTask();
        var others = configuration.Others.Where(other => other != lost && reach.DownFor(other) is null).ToArray();
        var asking = requests.FindAsync(key, new RunningRound(draws.Id()), others, located.Token);

        // The store may hang, or a cluster: neither keeps the other's word back.
        if (await Task.WhenAny(reading, asking) == reading && Here(await reading) is { } soon)
        {
            located.Cancel();
            await Patience.EndAsync(asking);
            return (soon, true, null);
        }

        var replies = await asking;
        if (Array.Find(replies, reply => reply.Kind == GsiReplyKind.InstanceAt) is { Node: not null } owner)
        {
            return (Remember(owner), true, null);
        }

        var read = await reading;
        if (Here(read) is { } here)
        {
            return (here, true, null);
        }

        // Of several in doubt the one that will be left.
        var inDoubt = replies.Where(reply => reply.Node is not null).OrderByDescending(reply => reply.From).FirstOrDefault();
        return inDoubt.Node is not null
            ? (Remember(inDoubt), true, null)
            : (null, read.Unknown is null && replies.All(r => r.Kind is GsiReplyKind.Pass or GsiReplyKind.Fail), read.Unknown);

        Placement? Here(RowRead row)
        {
            var found = row.Unknown is null ? table.Describe(row.Row.Entry) : null;
            if (found is not null)
            {
                table.ForgetHint(key, lost);
            }

            return found;
        }

        Placement Remember(GsiReply reply) =>
            table.Remember(key, new GsiEntry { State = GsiState.Cached, Owner = reply.From, OwnerNode = reply.Node });
    }

    /// <param name="look">What was looked for.</param>
    /// <param name="vainFor">How long it counts as looked for in vain; null where it was found.</param>
    private void Note((GrainKey Key, ClusterId Lost) look, TimeSpan? vainFor)
    {
        lock (_lock)
        {
            if (vainFor is { } validity)
            {
                _vain.Add(look, validity);
            }
            else
            {
                _vain.Remove(look);
            }
        }
    }
}
