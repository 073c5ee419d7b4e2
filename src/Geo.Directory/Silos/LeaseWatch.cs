using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// Watches that the next two silos of the cluster renew their leases. One that alone has lost the row store serves nobody, and answers
/// the probes of the membership: without the watch its grains would be out of reach until it finds the store again.
/// </summary>
/// <remarks>
/// <para>
/// The silos are a ring, in the order of their names. Each reads the leases of the next two that renew, and of those between that do not,
/// twice in its own lease's duration: two, for the next one watches nobody while its own operations fail now and then. Of several in a
/// row that have lost the store the last is fenced off a little later than the first. A lease that stays the same for as long as it
/// lasts, and a tenth, by this silo's clock, has run out, and its silo is fenced off by one compare-and-swap; from that moment on it is
/// gone. A member without a row is left alone, for it may be starting, and one whose row this version cannot read.
/// </para>
/// <para>
/// The time counts only while this silo's own renewals succeed, one after another. So an outage of the store that all share, or a pause of
/// the machine that they share, makes nobody fence off those that come back a moment later. After an outage some may come back later than
/// others, by as long as it lasted (<see cref="AbandonedOperations.LongestPauseAfter"/>): of a silo that was not seen to renew since this
/// one's renewals succeed the time counts from that long, and a tenth, after that on.
/// </para>
/// </remarks>
/// <param name="rows">The row store of the cluster, of which each operation ends in time.</param>
/// <param name="membership">The silos.</param>
/// <param name="siblings">The way to them.</param>
/// <param name="lease">This silo's lease.</param>
/// <param name="fences">The fences.</param>
/// <param name="duration">How long this silo's lease lasts.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class LeaseWatch(
    IConditionalStore rows, ISiloMembership membership, ISiblings siblings, SiloLease lease, SiloFences fences, TimeSpan duration,
    TimeProvider time, ILogger logger)
{
    /// <summary>The service by which silos, the one that it is about among them, hear that one is fenced off.</summary>
    public const string Service = "geo.fenced";

    // So many silos watch each silo: those that renew and come before it.
    private const int Watchers = 2;

    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(1);

    private static readonly LeaseRow Unreadable = new();

    private readonly TimeSpan _pause = duration / 2;

    // Where the outcome of a fence is not known, or its wait is not over.
    private readonly TimeSpan _shortPause = duration / 20;
    private readonly Dictionary<string, SeenLease> _seen = new(StringComparer.Ordinal);
    private readonly HashSet<string> _unreadable = new(StringComparer.Ordinal);

    private Steadiness? Steady => SwitchedOff.Is(ProtocolRule.WatcherIsSteady) ? new(0, TimeSpan.Zero) : lease.Steady;

    /// <summary>Watches until cancelled.</summary>
    public Task RunUntilAsync(CancellationToken cancellationToken) =>
        new Lookout(LookAsync, _pause, e => logger.LoopFailed("watch over the leases of siblings", e), time)
            .RunUntilAsync(cancellationToken, siblings.Handle(Service, HearAsync));

    /// <summary>Looks at the leases that are this silo's to watch.</summary>
    /// <returns>When to look again.</returns>
    public async Task<TimeSpan> LookAsync(CancellationToken cancellationToken)
    {
        if (SwitchedOff.Is(ProtocolRule.LeasesAreWatched) || Steady is not { } steady)
        {
            return _pause;
        }

        var (ring, pause, renewing) = (Ring(), _pause, 0);
        Forget(ring);
        foreach (var node in ring)
        {
            if (fences.IsKnownGone(node))
            {
                Tell(node);
                continue;
            }

            var read = await rows.ReadAsync(LeaseRow.KeyOf(node), cancellationToken);
            if (read.Outcome == StoreReadOutcome.Unknown)
            {
                // This row may be out of reach for its silo, too: its time begins anew.
                if (_seen.TryGetValue(node, out var last) && last.Since >= steady.Since)
                {
                    _seen[node] = last with { Since = time.GetTimestamp() };
                }

                break;
            }

            if (LeaseRow.Of(read, Unreadable) is not { } row || !IsReadable(node, row))
            {
                continue;
            }

            if (row.IsFenced)
            {
                // By another silo, or by this one unheard: known when its wait is over.
                fences.IsGone(node, isDead: false);
                pause = Shorter(pause, _shortPause);
                continue;
            }

            var now = time.GetTimestamp();
            var isKnown = _seen.TryGetValue(node, out var known) && known.Since >= steady.Since;
            if (!isKnown || known.Lease != read.ETag)
            {
                _seen[node] = new(read.ETag!.Value, now, HasRenewed: isKnown);
                if (++renewing == Watchers)
                {
                    break;
                }

                continue;
            }

            var left = LeftOf(row, known, steady, now);
            pause = Shorter(pause, left > TimeSpan.Zero ? left : await EndAsync(node, known, cancellationToken));
        }

        return pause > ShortestPause ? pause : ShortestPause;
    }

    /// <summary>Fences a silo off whose lease has run out.</summary>
    /// <returns>When to look again.</returns>
    private async Task<TimeSpan> EndAsync(string node, SeenLease known, CancellationToken cancellationToken)
    {
        var end = await fences.TryEndExpiredAsync(node, known.Lease, cancellationToken);
        if (end == SiloEnd.Gone)
        {
            logger.SilentSiloFenced(node, time.GetElapsedTime(known.Since));
            Tell(node);
        }

        return end == SiloEnd.Unknown ? _shortPause : _pause;
    }

    /// <summary>How long a lease of another version's format lasts is not known here: its silo is left alone.</summary>
    private bool IsReadable(string node, LeaseRow row)
    {
        if (row != Unreadable)
        {
            return true;
        }

        if (_unreadable.Add(node))
        {
            logger.LeaseUnreadable(node);
        }

        return false;
    }

    private void Forget(List<string> ring)
    {
        _unreadable.IntersectWith(ring);
        foreach (var left in _seen.Keys.Where(node => !ring.Contains(node)).ToList())
        {
            _seen.Remove(left);
        }
    }

    private static TimeSpan Shorter(TimeSpan one, TimeSpan other) => one < other ? one : other;

    /// <summary>How long the row must stay as it is until the lease has certainly run out, and its silo has a trouble of its own.</summary>
    private TimeSpan LeftOf(LeaseRow row, SeenLease known, Steadiness steady, long now)
    {
        if (SwitchedOff.Is(ProtocolRule.SilenceIsAwaited))
        {
            return TimeSpan.Zero;
        }

        var left = (row.Duration * SiloFences.Margin) - time.GetElapsedTime(known.Since, now);
        var back = ((AbandonedOperations.LongestPauseAfter(steady.Gap) + row.Duration) * SiloFences.Margin)
            - time.GetElapsedTime(steady.Since, now);
        return known.HasRenewed || left > back ? left : back;
    }

    /// <summary>The others, from the one after this silo on.</summary>
    private List<string> Ring()
    {
        var others = membership.Siblings.ToLookup(node => string.CompareOrdinal(node, membership.Local) > 0);
        return [.. others[true], .. others[false]];
    }

    /// <summary>
    /// Told again at each look, as long as the silo passes for a member: a message may be lost, and the silo itself cannot read its row.
    /// </summary>
    private void Tell(string node)
    {
        var writer = new PayloadWriter();
        writer.WriteText(node);
        foreach (var sibling in membership.Siblings)
        {
            siblings.Tell(sibling, Service, writer.Written);
        }
    }

    private ValueTask<ReadOnlyMemory<byte>> HearAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        var node = new PayloadReader(payload.Span).ReadRequiredText();
        if (node == membership.Local)
        {
            lease.Fence();
        }
        else
        {
            // The row decides: the first question reads it.
            fences.IsGone(node, isDead: false);
        }

        return default;
    }

    /// <param name="Lease">The version of the row.</param>
    /// <param name="Since">When it was seen for the first time.</param>
    /// <param name="HasRenewed">True when another version was seen before, since this silo's own renewals succeed.</param>
    private readonly record struct SeenLease(ETag Lease, long Since, bool HasRenewed);
}
