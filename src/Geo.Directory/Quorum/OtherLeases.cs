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
internal sealed class OtherLeases(IConditionalStore store, OwnLease own, TimeSpan duration, TimeProvider time, ILogger logger)
{
    // Over is over for good: what is forgotten is read again.
    private const int MaxOver = 10_000;

    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(1);

    // What a row that nobody can read is taken for: longer than any silo may set lasts no lease by majority.
    private static readonly LeaseRow Unreadable = new() { Duration = QuorumDirectoryOptions.LongestLease };

    private readonly TimeSpan _pause = duration / 4;
    private readonly ConcurrentDictionary<string, byte> _over = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, Seen> _seen = new(StringComparer.Ordinal);

    /// <summary>Told of each lease that is found to be over, once or more.</summary>
    public event Action<string>? Over;

    private Steadiness? Steady => SwitchedOff.Is(ProtocolRule.WatcherIsSteady) ? new(0, TimeSpan.Zero) : own.Present?.Lease.Steady;

    /// <summary>True of a lease that is known to be over; asks nobody.</summary>
    public bool IsKnownOver(string lease) => _over.ContainsKey(lease);

    /// <summary>The version of a lease's row as it was seen last; null where it was not. Asks nobody.</summary>
    public ETag? LastSeen(string lease) => _seen.TryGetValue(lease, out var seen) ? seen.Lease : null;

    /// <summary>Reads a lease, and ends it if it has run out.</summary>
    /// <returns>True when it is over; false when it is not, or that is not known.</returns>
    public async ValueTask<bool> IsOverAsync(string lease, CancellationToken cancellationToken)
    {
        if (IsKnownOver(lease))
        {
            return true;
        }

        var read = await store.ReadAsync(LeaseRow.KeyOf(lease), cancellationToken);
        if (read.Outcome == StoreReadOutcome.Unknown)
        {
            return false;
        }

        await LookAtAsync(lease, read, cancellationToken);
        return IsKnownOver(lease);
    }

    /// <summary>Looks at all leases again and again, until cancelled.</summary>
    public Task WatchUntilAsync(CancellationToken cancellationToken) =>
        new Lookout(LookAsync, _pause, Failed, time).RunUntilAsync(cancellationToken);

    /// <summary>Looks at all leases once.</summary>
    /// <returns>When to look again.</returns>
    public async Task<TimeSpan> LookAsync(CancellationToken cancellationToken)
    {
        var pause = _pause;
        var listed = new HashSet<string>(StringComparer.Ordinal);
        await foreach (var entry in store.ListAsync(LeaseRow.Prefix, cancellationToken))
        {
            var lease = LeaseRow.NodeOf(entry.Key);
            listed.Add(lease);
            if (own.Present?.Name != lease)
            {
                var left = await LookAtAsync(lease, StoreRead.Found(entry.Value, entry.ETag), cancellationToken);
                pause = left < pause ? left : pause;
            }
        }

        // Those that are in no list any more are read when somebody asks for them.
        foreach (var gone in _seen.Keys.Where(lease => !listed.Contains(lease)).Order(StringComparer.Ordinal).ToList())
        {
            _seen.TryRemove(gone, out _);
        }

        return pause > ShortestPause ? pause : ShortestPause;
    }

    /// <returns>When to look at it again.</returns>
    private async ValueTask<TimeSpan> LookAtAsync(string lease, StoreRead read, CancellationToken cancellationToken)
    {
        var row = LeaseRow.Of(read, Unreadable);
        if (row is null or { IsFenced: true })
        {
            // Nobody owns a grain under a lease without a row before the row was written; and who removes it has ended all that it served.
            IsOver(lease);
            return _pause;
        }

        // Seen after it was read: the renewal that it shows was sent before. A row that has become unreadable lasts as long as it did when
        // it could be read.
        var now = time.GetTimestamp();
        var isSeen = _seen.TryGetValue(lease, out var seen);
        var lasts = ReferenceEquals(row, Unreadable) && isSeen ? seen.Lasts : row.Duration;
        if (Steady is not { } steady || !isSeen || seen.Lease != read.ETag || seen.Since < steady.Since)
        {
            if (ReferenceEquals(row, Unreadable) && seen.Lease != read.ETag)
            {
                logger.QuorumLeaseUnreadable(LeaseRow.KeyOf(lease), lasts * SiloFences.Margin);
            }

            _seen[lease] = new(read.ETag!.Value, now, lasts);
            return _pause;
        }

        var silence = time.GetElapsedTime(seen.Since, now);
        if (OwnershipRules.LeftOf(lasts, silence) is var left && left > TimeSpan.Zero)
        {
            return left;
        }

        if (await EndAsync(lease, seen.Lease, cancellationToken))
        {
            logger.LeaseIsOver(lease, silence);
            IsOver(lease);
        }

        return _pause;
    }

    /// <returns>
    /// True when the lease is known to be over; what became of a fence that nobody heard of, the row says at the next look.
    /// </returns>
    private async ValueTask<bool> EndAsync(string lease, ETag seen, CancellationToken cancellationToken)
    {
        var fence = new LeaseRow { IsFenced = true, Duration = TimeSpan.FromTicks(1), WrittenAt = time.GetUtcNow() };
        var written = await store.WriteAsync(LeaseRow.KeyOf(lease), fence.Encode(), seen, cancellationToken);
        return written.Outcome == StoreWriteOutcome.Applied || SwitchedOff.Is(ProtocolRule.EndIsStored);
    }

    private void IsOver(string lease)
    {
        if (_over.Count >= MaxOver)
        {
            _over.Clear();
        }

        _seen.TryRemove(lease, out _);
        if (_over.TryAdd(lease, 0))
        {
            Over?.Invoke(lease);
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
    private readonly record struct Seen(ETag Lease, long Since, TimeSpan Lasts);
}
