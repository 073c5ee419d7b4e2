namespace Geo.Consistency;

/// <summary>What views see of their grains' other instances: one for all grains of a kind.</summary>
public interface IReplicaLink
{
    /// <summary>The cluster of this instance.</summary>
    ClusterId Local { get; }

    /// <summary>The other clusters that may hold an instance; empty for a single-instance grain.</summary>
    IReadOnlyList<ClusterId> Others { get; }

    /// <summary>
    /// Tells every other instance that is active, best effort: a notification may be lost, and a newer one replaces an older one that
    /// still waits. Never waits itself.
    /// </summary>
    /// <param name="grain">The grain.</param>
    /// <param name="payload">The message; copied before the call returns.</param>
    /// <param name="digest">
    /// What is told again with the next digests (<see cref="ReplicaExchangeOptions.DigestInterval"/>), to all, unless a newer one took its
    /// place: a few bytes, which do no harm when they arrive late or twice. Nothing when empty. Copied, too.
    /// </param>
    /// <param name="except">Clusters that are told in another way.</param>
    void Notify(
        GrainKey grain, ReadOnlyMemory<byte> payload, ReadOnlyMemory<byte> digest = default, IReadOnlyCollection<ClusterId>? except = null);

    /// <summary>Asks the instance in one cluster.</summary>
    /// <param name="grain">The grain.</param>
    /// <param name="to">The cluster.</param>
    /// <param name="payload">The message; not used after the returned task has ended.</param>
    /// <param name="activate">True to activate the grain there if need be; otherwise an empty reply says that it is not active.</param>
    /// <param name="cancellationToken">
    /// Ends the wait with an <see cref="OperationCanceledException"/>; the request may still be handled.
    /// </param>
    ValueTask<ClusterReply> RequestAsync(
        GrainKey grain, ClusterId to, ReadOnlyMemory<byte> payload, bool activate, CancellationToken cancellationToken = default);
}
