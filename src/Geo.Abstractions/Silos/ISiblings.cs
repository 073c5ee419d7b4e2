namespace Geo;

/// <summary>Messages between the silos of one cluster.</summary>
/// <remarks>As between clusters, trouble is an outcome and no exception, and nothing is waited for without a bound.</remarks>
internal interface ISiblings
{
    /// <summary>Asks one silo of the cluster and waits for its answer, at the latest until the cluster declares that silo dead.</summary>
    /// <param name="node">The silo; one that is gone is refused or unknown.</param>
    /// <param name="service">The service that answers there.</param>
    /// <param name="payload">The question; not to be changed until the task has ended.</param>
    /// <param name="timeout">Ends the wait as unknown.</param>
    /// <param name="cancellationToken">
    /// Ends the wait with an <see cref="OperationCanceledException"/>; the question may still be dealt with.
    /// </param>
    ValueTask<ClusterReply> AskAsync(
        string node, string service, ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default);

    /// <summary>Tells one silo of the cluster something. Never waits; it may be lost.</summary>
    /// <param name="node">The silo.</param>
    /// <param name="service">The service that hears it there.</param>
    /// <param name="payload">What it is told; copied before the call returns.</param>
    void Tell(string node, string service, ReadOnlyMemory<byte> payload);

    /// <summary>Answers the questions of a service, and hears what is told to it, until the returned registration is disposed.</summary>
    /// <exception cref="InvalidOperationException">The service has a handler already.</exception>
    IDisposable Handle(string service, SiblingHandler handler);
}
