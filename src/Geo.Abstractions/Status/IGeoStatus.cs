namespace Geo;

/// <summary>
/// How the silo of this process is, among the services of either host: what health checks, tools and pages show. Thread-safe.
/// </summary>
public interface IGeoStatus
{
    /// <summary>Takes a snapshot of what this silo knows. Asks no other cluster and no store, and never waits.</summary>
    /// <returns>Null before the silo has started and once it stops.</returns>
    SiloReport? Read();

    /// <summary>
    /// Reads one row of each store of this silo, the one of the directory's rows included, all at the same time. A store that has not
    /// answered an earlier question is not asked another one: that answer is waited for.
    /// </summary>
    /// <param name="timeout">How long to wait for each, whether it heeds tokens or not.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>One answer for each store, by name; none before the silo has started and once it stops.</returns>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    ValueTask<IReadOnlyList<StoreAnswer>> AskStoresAsync(TimeSpan timeout, CancellationToken cancellationToken = default);
}
