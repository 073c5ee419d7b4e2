using Microsoft.Extensions.Logging;

namespace Geo.Directory;

/// <summary>
/// This silo's lease by majority, under which it owns grains of the mode <see cref="SingleInstanceMode.Quorum"/>: one row, however many
/// grains (rules Q1 and Q4 of the design of regions). When others have fenced it off, or may have, the silo takes another one, under
/// another name.
/// </summary>
/// <param name="store">The store by majority, of which each operation ends in less than a third of the duration.</param>
/// <param name="prefix">Begins the names of the leases: no other silo, and no other start of this one, has the same.</param>
/// <param name="duration">How long a renewal lasts.</param>
/// <param name="time">Both clocks.</param>
/// <param name="logger">The log.</param>
internal sealed class OwnLease(IConditionalStore store, string prefix, TimeSpan duration, TimeProvider time, ILogger logger)
    : ILeaseGuard
{
    private Held? _present;
    private int _taken;

    /// <summary>Raised when others have fenced a lease of this silo off.</summary>
    public event Action<Held>? Over;

    /// <summary>The lease that the silo has or is about to take; null before <see cref="KeepUntilAsync"/>.</summary>
    public Held? Present => Volatile.Read(ref _present);

    /// <summary>True while the silo holds a lease. A grain is served under the lease that its tenancy names, and not by this.</summary>
    public bool MayServe => Present is { MayServe: true };

    /// <inheritdoc/>
    public ValueTask<bool> MayServeSoonAsync() => Present?.MayServeSoonAsync() ?? new(false);

    /// <summary>The cluster of a lease's silo, as the prefix of its name has it.</summary>
    public static ReadOnlySpan<char> ClusterOf(string lease) => lease.AsSpan(0, Math.Max(0, lease.IndexOf('/')));

    /// <summary>Keeps a lease until cancelled.</summary>
    public async Task KeepUntilAsync(CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            var name = $"{prefix}/{++_taken}";
            var lease = new SiloLease(store, name, "", duration, time, logger) { TellFenced = QuorumLog.OwnLeaseIsOver };
            var held = new Held(name, lease);
            Volatile.Write(ref _present, held);
            try
            {
                await lease.RenewAsync(cancellationToken);
            }
            catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
            {
                logger.LeaseNotTaken(name, e);
            }
            catch (OperationCanceledException)
            {
                return;
            }

            await lease.RenewUntilAsync(cancellationToken);
            if (lease.IsFenced)
            {
                Over?.Invoke(held);
            }
        }
    }

    /// <summary>
    /// Gives the lease back: what is left of this silo's grains can be taken over at once. Call it after their last turns.
    /// </summary>
    public async Task LeaveAsync(CancellationToken cancellationToken)
    {
        if (Present is { } held)
        {
            await held.Lease.LeaveAsync(cancellationToken);
        }
    }

    /// <summary>One lease, from its first renewal until others fence it off.</summary>
    internal sealed class Held(string name, SiloLease lease) : ILeaseGuard
    {
        /// <summary>As rows of owners name it.</summary>
        public string Name => name;

        public SiloLease Lease => lease;

        /// <inheritdoc/>
        public bool MayServe => lease.MayServe;

        /// <inheritdoc/>
        public ValueTask<bool> MayServeSoonAsync() => lease.MayServeSoonAsync();
    }
}
