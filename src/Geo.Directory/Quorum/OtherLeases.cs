using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Says of the leases of other silos whether they are over, and ends those that have run out: a lease whose row this silo has seen
/// unchanged for as long as it lasts, and a tenth, is fenced off by one compare-and-swap, and over from then on (rule Q4 of the design of
/// regions). It asks the silo itself nothing, so that one which nobody reaches is found out as any other.
/// </summary>
/// <remarks>
/// The time counts only while this silo's own renewals succeed, one after another: so an outage of the store that all share ends nobody's
/// lease.
/// </remarks>
/// <param name="store">The store by majority, of which each operation ends in time.</param>
/// <param name="own">This silo's lease.</param>
/// <param name="duration">How long this silo's lease lasts: it looks four times in that time.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class OtherLeases(OwnershipStore store, OwnLease own, TimeSpan duration, TimeProvider time, ILogger logger)
{
    // Over is over for good: what is forgotten is read again.
    private const int MaxOver = 10_000;

    // Of a region that is lost, each silo's.
    private const int MaxEnding = 32;

    // A lease that was seen unchanged for a smaller part of its time than this may have been renewed since: to ready it for its end would
    // take its owner's ballot from it, and with that the time in which the next renewal must end.
    private const double Overdue = 2 / 3.0;

    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(1);

    // What a row that nobody can read is taken for: longer than any silo may set lasts no lease by majority.
    private static readonly LeaseRow Unreadable = new() { Duration = QuorumDirectoryOptions.LongestLease };

    private readonly TimeSpan _pause = duration / 4;

    // Until the next look at a lease that another silo is to end.
    private readonly TimeSpan _glance = duration / 20;

    // How long one that has ended a lease takes what it wants before those who see it do.
    private readonly TimeSpan _headStart = duration / 5;

    // How long the silo that is first to end a lease is given before whoever sees it does.
    private readonly TimeSpan _turn = duration / 2;

    // How long before a lease may be ended that is made ready: its owner holds it no more then, most often.
    private readonly TimeSpan _readying = duration * (SiloFences.Margin - 1);

    // With whether another silo has ended it.
    private readonly ConcurrentDictionary<string, bool> _over = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, Seen> _seen = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, TaskCompletionSource> _ends = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, Task> _asked = new(StringComparer.Ordinal);
    private TaskCompletionSource _next = new();
    private long _listed;

    /// <summary>Told of each lease that is found to be over, once or more.</summary>
    public event Action<string>? Over;

    private Steadiness? Steady => SwitchedOff.Is(ProtocolRule.WatcherIsSteady) ? new(0, TimeSpan.Zero) : own.Present?.Lease.Steady;

    /// <summary>Ends when another lease is known to be over than now.</summary>
    public Task Next => Volatile.Read(ref _next).Task;

    /// <summary>True of a lease that is known to be over; asks nobody.</summary>
    public bool IsKnownOver(string lease) => _over.ContainsKey(lease);

    /// <summary>True of one that is over and was ended by another silo, which takes what it wants then; asks nobody.</summary>
    public bool IsEndedByAnother(string lease) => _over.GetValueOrDefault(lease);

    /// <summary>Ends when a lease is known to be over; null where too many leases are waited for.</summary>
    public Task? EndOf(string lease)
    {
        if (!_ends.TryGetValue(lease, out var end))
        {
            if (_ends.Count >= MaxOver)
            {
                return null;
            }

            end = _ends.GetOrAdd(lease, _ => new());
            if (IsKnownOver(lease))
            {
                End(lease);
            }
        }

        return end.Task;
    }

    /// <summary>The version of a lease's row as it was seen last; null where it was not. Asks nobody.</summary>
    public ETag? LastSeen(string lease) => _seen.TryGetValue(lease, out var seen) ? seen.Lease : null;

    /// <summary>Reads a lease, and ends it if it has run out. Many who ask at once ask the store once.</summary>
    /// <returns>True when it is over; false when it is not, or that is not known.</returns>
    public async ValueTask<bool> IsOverAsync(string lease, CancellationToken cancellationToken)
    {
        for (Task? asked = null; ;)
        {
            var next = Next;
            if (IsKnownOver(lease))
            {
                return true;
            }

            if (asked is { IsCompleted: true })
            {
                await asked;
                return false;
            }

            asked ??= _asked.GetOrAdd(lease, _ => AskAsync(lease, cancellationToken));
            await Task.WhenAny(asked, next);
        }
    }

    /// <summary>Looks at all leases again and again, until cancelled.</summary>
    public Task WatchUntilAsync(CancellationToken cancellationToken) =>
        new Lookout(LookAsync, _pause, Failed, time).RunUntilAsync(cancellationToken);

    /// <summary>Looks at all leases once, and ends those that have run out.</summary>
    /// <returns>When to look again.</returns>
    public async Task<TimeSpan> LookAsync(CancellationToken cancellationToken)
    {
        // A list takes as long as the end of a lease does, and twice that where one of them is being written: what is due by what was seen
        // before needs none, and what soon will be waits for none.
        await EndAllAsync([.. _seen.Where(s => UntilDue(s.Value) <= TimeSpan.Zero).Select(s => s.Key)], cancellationToken);
        var (next, since) = (UntilNextDue(), time.GetElapsedTime(_listed));
        if (since < _pause - _glance || (next < _pause && since < (2 * _pause) - _glance))
        {
            return next;
        }

        _listed = time.GetTimestamp();
        var (before, listed) = (_seen.Keys.ToList(), new HashSet<string>(StringComparer.Ordinal));
        var due = new List<string>();
        await foreach (var entry in store.ListAsync(LeaseRow.Prefix, cancellationToken))
        {
            var lease = LeaseRow.NodeOf(entry.Key);
            listed.Add(lease);
            if (own.Present?.Name != lease && See(lease, StoreRead.Found(entry.Value, entry.ETag), _listed, entry.Age) <= TimeSpan.Zero)
            {
                due.Add(lease);
            }
        }

        // Given back by a silo that has stopped. What was seen first while the list was on its way may be too young for it.
        foreach (var gone in before.Where(lease => !listed.Contains(lease)).Order(StringComparer.Ordinal))
        {
            IsOver(gone);
        }

        await EndAllAsync(due, cancellationToken);
        return UntilNextDue();
    }

    /// <summary>How long until something is due, a pause at the most; not at once again where something is still.</summary>
    private TimeSpan UntilNextDue()
    {
        var next = _seen.Select(s => UntilDue(s.Value)).Append(_pause).Min();
        return next > ShortestPause ? next : _glance;
    }

    private async Task EndAllAsync(List<string> due, CancellationToken cancellationToken)
    {
        foreach (var some in due.Order(StringComparer.Ordinal).Chunk(MaxEnding))
        {
            await Task.WhenAll(some.Select(TryEndAsync));
        }

        async Task TryEndAsync(string lease)
        {
            try
            {
                await EndAsync(lease, cancellationToken);
            }
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
            {
                // The look goes on to the others.
                Failed(e);
            }
        }
    }

    private async Task AskAsync(string lease, CancellationToken cancellationToken)
    {
        // Among those asked before it ends.
        await Task.Yield();
        try
        {
            if (await SeeAsync(lease, cancellationToken) <= TimeSpan.Zero)
            {
                await EndAsync(lease, cancellationToken);
            }
        }
        finally
        {
            _asked.TryRemove(lease, out _);
        }
    }

    private async Task<TimeSpan> SeeAsync(string lease, CancellationToken cancellationToken)
    {
        var asked = time.GetTimestamp();
        var read = await store.ReadAsync(LeaseRow.KeyOf(lease), cancellationToken);
        return read.Outcome == StoreReadOutcome.Unknown ? _pause : See(lease, read, asked);
    }

    /// <param name="lease">The lease.</param>
    /// <param name="read">Its row.</param>
    /// <param name="asked">When the row was asked for.</param>
    /// <param name="age">For how long the store had seen it when it told, at least.</param>
    /// <returns>As <see cref="UntilDue"/>.</returns>
    private TimeSpan See(string lease, StoreRead read, long asked, TimeSpan age = default)
    {
        var row = LeaseRow.Of(read, Unreadable);
        var isSeen = _seen.TryGetValue(lease, out var seen);
        if (row is { IsFenced: true } && isSeen)
        {
            // Not over at once: see UntilDue.
            _seen[lease] = seen = seen with { FencedAt = seen.FencedAt ?? time.GetTimestamp() };
            return UntilDue(seen);
        }

        if (row is null or { IsFenced: true })
        {
            // Nobody owns a grain under a lease without a row before the row was written; and who removes it has ended all that it served.
            IsOver(lease);
            return _pause;
        }

        // Seen after it was read, or its store had seen it: the renewal that it shows was sent before. A row that has become unreadable
        // lasts as long as it did when it could be read.
        var lasts = ReferenceEquals(row, Unreadable) && isSeen ? seen.Lasts : row.Duration;
        var since = time.GetTimestamp() - (long)(age.TotalSeconds * time.TimestampFrequency);
        since = Math.Max(since, Steady?.Since ?? since);
        if (!isSeen || seen.Lease != read.ETag || !IsSteadySince(seen.Since))
        {
            if (ReferenceEquals(row, Unreadable) && seen.Lease != read.ETag)
            {
                logger.QuorumLeaseUnreadable(LeaseRow.KeyOf(lease), lasts * SiloFences.Margin);
            }

            _seen[lease] = new(read.ETag!.Value, since, lasts) { At = asked };
            return _pause;
        }

        // A list tells the age, which a read does not.
        _seen[lease] = seen = seen with { Since = Math.Min(since, seen.Since), At = asked };
        return UntilDue(seen);
    }

    /// <returns>
    /// How long until it is time to end a lease, if it stays as it is; nothing where it is. That is somewhat before it may be ended, so
    /// that by then it takes one round trip. Who sees that another one has ended it is somewhat later: who did takes what it wants
    /// meanwhile, others would stand in its way, and have it no sooner.
    /// </returns>
    private TimeSpan UntilDue(Seen seen) =>
        seen.FencedAt is { } fenced ? _headStart - time.GetElapsedTime(fenced)
        : IsSteadySince(seen.Since) ? LeftOf(seen) - _readying : _pause;

    /// <summary>
    /// True where none of those that renew their leases is to end this one before this silo does: two that try at once stand in each
    /// other's way. Silos of the lease's own cluster come last, for they may be lost with it.
    /// </summary>
    private bool IsFirstFor(string lease)
    {
        if (own.Present?.Name is not { } name)
        {
            return true;
        }

        var score = Score(name);
        return !_seen.Any(s => s.Key != lease && time.GetElapsedTime(s.Value.Since) < s.Value.Lasts && Score(s.Key) > score);

        ulong Score(string watcher)
        {
            var mixed = StableHash.Mix(PartitionKey.From(lease).Mix() ^ PartitionKey.From(watcher).Mix()) >> 1;
            return OwnLease.ClusterOf(watcher).SequenceEqual(OwnLease.ClusterOf(lease)) ? mixed : mixed | (1UL << 63);
        }
    }

    private bool IsSteadySince(long timestamp) => Steady is { } steady && timestamp >= steady.Since;

    private TimeSpan LeftOf(Seen seen) => OwnershipRules.LeftOf(seen.Lasts, time.GetElapsedTime(seen.Since));

    /// <summary>Waits until a lease may be ended, if it is not renewed meanwhile, and ends it.</summary>
    private async Task EndAsync(string lease, CancellationToken cancellationToken)
    {
        if (!_seen.TryGetValue(lease, out var seen))
        {
            return;
        }

        if (seen.FencedAt is not null)
        {
            // Fenced is for good.
            IsOver(lease, byAnother: true);
            return;
        }

        if (UntilDue(seen) + _turn > TimeSpan.Zero && !IsFirstFor(lease))
        {
            await SeeAsync(lease, cancellationToken);
            return;
        }

        if (time.GetElapsedTime(seen.Since, seen.At) < seen.Lasts * Overdue && await SeeAsync(lease, cancellationToken) > TimeSpan.Zero)
        {
            return;
        }

        var key = LeaseRow.KeyOf(lease);
        var asked = time.GetTimestamp();
        var read = await store.ReadToWriteAsync(key, cancellationToken);
        if (read.Outcome == StoreReadOutcome.Unknown || See(lease, read, asked) > TimeSpan.Zero || !_seen.TryGetValue(lease, out seen)
            || seen.FencedAt is not null || UntilDue(seen) > TimeSpan.Zero)
        {
            return;
        }

        while (LeftOf(seen) is var left && left > TimeSpan.Zero)
        {
            // A timer counts whole milliseconds, and may be early by another clock.
            await Task.Delay(left > ShortestPause ? left : ShortestPause, time, cancellationToken);
        }

        if (!IsSteadySince(seen.Since))
        {
            return;
        }

        var fence = new LeaseRow { IsFenced = true, Duration = TimeSpan.FromTicks(1), WrittenAt = time.GetUtcNow() };
        var written = await store.WriteAsync(key, fence.Encode(), seen.Lease, cancellationToken);
        if (written.Outcome == StoreWriteOutcome.Applied || SwitchedOff.Is(ProtocolRule.EndIsStored))
        {
            logger.LeaseIsOver(lease, time.GetElapsedTime(seen.Since));
            IsOver(lease);
            return;
        }

        // Renewed after all, or ended by somebody else; or nobody heard what became of the fence.
        await SeeAsync(lease, cancellationToken);
    }

    private void IsOver(string lease, bool byAnother = false)
    {
        if (_over.Count >= MaxOver)
        {
            _over.Clear();
        }

        _seen.TryRemove(lease, out _);
        if (_over.TryAdd(lease, byAnother))
        {
            Over?.Invoke(lease);
            End(lease);
            Interlocked.Exchange(ref _next, new()).SetResult();
        }
    }

    private void End(string lease)
    {
        if (_ends.TryRemove(lease, out var end))
        {
            end.SetResult();
        }
    }

    private void Failed(Exception error)
    {
        // Where no majority answers the own lease says so in the log.
        if (error is not GeoUnavailableException)
        {
            logger.LeasesNotSeen(error);
        }
    }

    /// <param name="Lease">The version of the row.</param>
    /// <param name="Since">When it was seen so for the first time.</param>
    /// <param name="Lasts">How long a renewal lasts.</param>
    /// <param name="FencedAt">When it was seen that another one has ended it; null where it has not.</param>
    private readonly record struct Seen(ETag Lease, long Since, TimeSpan Lasts, long? FencedAt = null)
    {
        /// <summary>When the row was asked for that was seen so last.</summary>
        public long At { get; init; }
    }
}
