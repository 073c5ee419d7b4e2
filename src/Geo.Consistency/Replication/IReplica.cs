namespace Geo.Consistency;

/// <summary>An instance of a grain as the grain's other instances reach it; implemented by the views that replicate.</summary>
public interface IReplica
{
    /// <summary>Takes a notification or a request of another instance. Called on the view's scheduler.</summary>
    /// <param name="from">The cluster of the other instance.</param>
    /// <param name="payload">The message; valid until the returned task ends.</param>
    /// <param name="cancellationToken">
    /// Set when the exchange stops, or nobody waits for the reply any more; what waits must end then.
    /// </param>
    /// <returns>The reply; empty for a notification. An exception ends a request as unknown.</returns>
    ValueTask<ReadOnlyMemory<byte>> ReceiveAsync(ClusterId from, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken);

    /// <summary>
    /// A link to another cluster came up again: what the instance there was told meanwhile is lost, so the latest version is told anew.
    /// Called on the view's scheduler; may be called twice.
    /// </summary>
    /// <param name="cluster">The cluster that can be reached again.</param>
    void LinkUp(ClusterId cluster);
}
