using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Gives up the grains of the mode <see cref="SingleInstanceMode.Quorum"/> that a cluster has which may own nothing any more (rules C8 and
/// Q7 of the design of regions): each silo ends its own instances in order, so that the next call of each places it elsewhere, and all
/// count what the cluster's silos have by the rows.
/// </summary>
internal sealed class QuorumDrain(
    OwnershipStore store, OwnLease own, OtherLeases others, Tenancies tenancies, Func<GrainKey, bool> isUnderWay, IInstanceTable instances,
    ClusterId local, GlobalDirectoryOptions limits, DirectoryMetrics metrics, TimeProvider time, ILogger logger)
{
    // Each waits for a majority most of the time: where that is 150 ms away, so many end 100,000 in half a minute.
    private const int Parallelism = 500;

    // A lease is renewed when a third of it has passed. One that is as old as this waits for a renewal that what the drain writes, or asks
    // of the processors, stands in the way of; it has the way to itself then, so often looked at while it lasts.
    private const double Overdue = 0.6;
    private const int Looks = 20;

    private const string Leaves = "its cluster leaves the multi-cluster";

    /// <summary>One pass.</summary>
    /// <returns>How many rows it found that count: of this silo, or, where it had none, of the cluster.</returns>
    /// <exception cref="GeoUnavailableException">No majority answers.</exception>
    public async Task<DrainPass> RunAsync(CancellationToken cancellationToken)
    {
        var left = new ConcurrentQueue<(GrainKey Key, Tenancies.Tenancy Tenancy)>(tenancies.ToArray());
        var (workers, given) = (Math.Min(left.Count, Parallelism), new WayGiven());
        var passes = await Task.WhenAll(Enumerable.Range(0, workers).Select(_ => EndAllAsync(left, given, cancellationToken)));
        var pass = passes.Aggregate(new DrainPass(0), (all, one) => all + one);

        // A cluster that had some has not come to the end yet, and all rows are many.
        return pass.Held > 0 ? pass : pass with { Held = await CountAsync(cancellationToken) };
    }

    private async Task<DrainPass> EndAllAsync(
        ConcurrentQueue<(GrainKey Key, Tenancies.Tenancy Tenancy)> left, WayGiven given, CancellationToken cancellationToken)
    {
        var pass = new DrainPass(0);
        while (left.TryDequeue(out var next))
        {
            await GiveWayAsync(given, cancellationToken);
            pass += new DrainPass(1, await TryEndAsync(next.Key, next.Tenancy, cancellationToken));
        }

        return pass;
    }

    /// <summary>
    /// Waits while the lease is overdue, which ends with a renewal or with the lease, and otherwise when the lease could have been renewed
    /// three times: a pass in which that has happened gives way no more.
    /// </summary>
    private async ValueTask GiveWayAsync(WayGiven given, CancellationToken cancellationToken)
    {
        for (var looks = 0;
            !given.IsInVain && own.Present is { MayServe: true, Lease.Status: var lease } && lease.Age > lease.Duration * Overdue;
            looks++)
        {
            if (looks < Looks)
            {
                await Task.Delay(lease.Duration / Looks, time, cancellationToken);
            }
            else if (given.TryEnd())
            {
                metrics.BoundHit("renewal before a drain goes on");
                logger.DrainGoesOn(lease.Age, lease.Duration);
            }
        }
    }

    private async Task<long> CountAsync(CancellationToken cancellationToken)
    {
        var pace = new Pace(limits.ScanRowsPerSecond, time);
        var living = new Dictionary<string, bool>(StringComparer.Ordinal);
        var held = 0L;
        await foreach (var listed in store.ListAsync(OwnerRow.Prefix, cancellationToken))
        {
            await pace.NextAsync(cancellationToken);
            if (Read(listed) is not { IsReleased: false } row || row.Cluster != local)
            {
                continue;
            }

            var isOwn = row.Lease == own.Present?.Name;
            if (!living.TryGetValue(row.Lease, out var lives))
            {
                living[row.Lease] = lives = isOwn || !await others.IsOverAsync(row.Lease, cancellationToken);
            }

            held += lives ? 1 : 0;
            if (isOwn && GrainKey.Parse(listed.Key[OwnerRow.Prefix.Length..]) is var key && !isUnderWay(key)
                && tenancies.Of(key) is null)
            {
                // A write of this silo that took effect unheard, and that nobody waits for any more: nobody serves the grain under it. One
                // that is waited for would have its tenancy begin when the answer comes, where the cluster has returned by then.
                await store.WriteAsync(listed.Key, (row with { IsReleased = true }).Encode(), listed.ETag, cancellationToken);
            }
        }

        return held;
    }

    /// <summary>Of a damaged row nobody knows whose it is; the silo that has its grain gives it up all the same.</summary>
    private OwnerRow? Read(StoreEntry listed)
    {
        try
        {
            return OwnerRow.Decode(listed.Value.Span);
        }
        catch (GeoSerializationException e)
        {
            logger.OwnerRowUnreadable(listed.Key, e);
            return null;
        }
    }

    private async Task<string?> TryEndAsync(GrainKey key, Tenancies.Tenancy tenancy, CancellationToken cancellationToken)
    {
        try
        {
            return await EndAsync(key, tenancy, Leaves, cancellationToken);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // One grain's trouble must not keep the others; the next pass tries it again.
            logger.InstanceNotEnded(key, e);
            return $"the instance of '{key}' could not be ended: {e.Message}";
        }
    }

    /// <summary>Ends the instance of a tenancy and releases its row.</summary>
    /// <returns>Why the grain stays; null where it does not.</returns>
    public async Task<string?> EndAsync(
        GrainKey key, Tenancies.Tenancy tenancy, string reason, CancellationToken cancellationToken)
    {
        // From here on no further instance begins under the tenancy, which the write below would not survive.
        tenancy.BeginToEnd();

        // An instance that has not ended in time goes on ending, and is not told so a second time. The next tenancy of the grain has an
        // instance of its own, which this says nothing of.
        var ending = tenancy.Ending ??= instances.DeactivateAsync(key, reason);
        if (!await ending.EndsWithinAsync(limits.DeactivationTimeout, time, cancellationToken))
        {
            return $"the instance of '{key}' has not ended within {limits.DeactivationTimeout.TotalSeconds:0.###} s; a call on it may "
                + "never end";
        }

        tenancy.Ending = null;
        await ending;
        if (!tenancies.End(key, tenancy) || tenancy.Lease.Lease.IsFenced)
        {
            return null;
        }

        var written = await store.WriteAsync(
            OwnerRow.KeyOf(key), tenancy.Released.Encode(), tenancy.ETag, cancellationToken);
        return written.Outcome == StoreWriteOutcome.Unknown ? $"whether '{key}' was released is not known: {written.Reason}" : null;
    }

    /// <summary>What one pass has learned of giving way, for all that work on it.</summary>
    private sealed class WayGiven
    {
        private int _isInVain;

        public bool IsInVain => Volatile.Read(ref _isInVain) == 1;

        /// <returns>True for the first one that says so.</returns>
        public bool TryEnd() => Interlocked.Exchange(ref _isInVain, 1) == 0;
    }
}
