using Microsoft.Extensions.Logging;

namespace Geo.Orleans;

/// <summary>
/// This silo's permission to serve single-instance grains. A silo that was frozen while its cluster declared it dead wakes with an expired
/// lease and cannot renew it, for those who take over its grains fence the row first and then wait until the last lease has run out.
/// </summary>
internal sealed class SiloLease(IConditionalStore rows, string node, TimeSpan duration, TimeProvider time, ILogger logger)
{
    private readonly string _key = LeaseRow.KeyOf(node);
    private ETag? _etag;
    private long _validUntil = long.MinValue;
    private volatile bool _isFenced;

    /// <summary>True while no other silo can have taken over a grain of this one. Read on every call.</summary>
    public bool IsHeld => time.GetTimestamp() < Volatile.Read(ref _validUntil);

    /// <summary>True when the cluster has declared this silo dead; it never holds the lease again.</summary>
    public bool IsFenced => _isFenced;

    /// <summary>What the caller of a grain gets whose call did not run.</summary>
    public static GeoUnavailableException NotServed(GrainId grain) => new(
        $"The call on grain '{grain}' did not run: its silo has not been able to renew its lease, or was declared dead. Try again.");

    /// <summary>What the caller of a grain gets whose call ended after the lease had.</summary>
    public static GeoTimeoutException NotConfirmed(GrainId grain) => new(
        $"The call on grain '{grain}' ran, but its silo lost its lease meanwhile: another silo may have taken the grain over before, and what the call did may be lost.");

    /// <summary>Renews the lease every third of its duration until cancelled or fenced.</summary>
    public async Task RenewUntilAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(duration / 3, time);
        try
        {
            while (!_isFenced && await timer.WaitForNextTickAsync(cancellationToken))
            {
                await RenewAsync(cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The silo stops.
        }
    }

    /// <summary>Tries once to extend the lease by its duration, counted from before the attempt.</summary>
    public async Task RenewAsync(CancellationToken cancellationToken)
    {
        var sent = time.GetTimestamp();
        using var limit = new CancellationTokenSource(duration / 3, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            var written = await rows.WriteAsync(_key, LeaseRow.Living, _etag, either.Token);
            if (written.Outcome == StoreWriteOutcome.Applied)
            {
                _etag = written.ETag;
                Volatile.Write(ref _validUntil, sent + (long)(duration.TotalSeconds * time.TimestampFrequency));
                return;
            }

            await CatchUpAsync(written.Reason, either.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            logger.LeaseNotRenewed(node, "the store did not answer in time");
        }
    }

    /// <summary>Removes the row of a silo that has stopped in an orderly way; best effort.</summary>
    public async Task LeaveAsync(CancellationToken cancellationToken)
    {
        Volatile.Write(ref _validUntil, long.MinValue);
        if (_etag is { } etag && !_isFenced)
        {
            await rows.DeleteAsync(_key, etag, cancellationToken);
        }
    }

    private async Task CatchUpAsync(string? reason, CancellationToken cancellationToken)
    {
        var read = await rows.ReadAsync(_key, cancellationToken);
        if (LeaseRow.IsFenced(read))
        {
            _isFenced = true;
            Volatile.Write(ref _validUntil, long.MinValue);
            logger.LeaseFenced(node);
            return;
        }

        if (read.Outcome != StoreReadOutcome.Unknown)
        {
            // A write of ours took effect unnoticed. When is not known, so that the next renewal counts.
            _etag = read.ETag;
        }

        logger.LeaseNotRenewed(node, reason ?? read.Reason ?? "the row was changed");
    }
}
