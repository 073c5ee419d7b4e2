namespace Geo.Directory;

/// <summary>
/// What an operator may ask of the directory of single-instance grains of one cluster, through any of its silos: who has which grain, and
/// to settle, release or move one. Safe at any time: whatever it does, a grain keeps at most one confirmed owner.
/// </summary>
public interface IGeoAdministration
{
    /// <summary>The cluster whose rows these are.</summary>
    ClusterId Cluster { get; }

    /// <summary>Lists the cluster's rows, or this silo's hints, a page at a time.</summary>
    /// <remarks>
    /// A page is not a snapshot. It costs the reading of the rows that it looks through, and, where the store cannot begin a list in the
    /// middle, of those before it too. Rows that cannot be read are told of beside the others (<see cref="DirectoryPage.Damaged"/>).
    /// </remarks>
    /// <param name="query">Which rows.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    /// <exception cref="GeoConfigurationException">The size of the page is out of range.</exception>
    ValueTask<DirectoryPage> ListAsync(DirectoryQuery query, CancellationToken cancellationToken = default);

    /// <summary>What this cluster knows of a grain: its row, or else this silo's hint.</summary>
    /// <returns>Null when it knows nothing; another cluster may.</returns>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer, or the row is damaged.</exception>
    ValueTask<DirectoryRow?> InspectAsync(GrainKey key, CancellationToken cancellationToken = default);

    /// <summary>
    /// Runs the round of a Doubtful grain again, or finishes the end of a duplicate, now instead of at the next interval.
    /// </summary>
    /// <returns>
    /// True when the grain is Owned, or its duplicate here has ended; false when it stays as it is, for example while a cluster is out of
    /// reach.
    /// </returns>
    ValueTask<bool> ResolveAsync(GrainKey key, CancellationToken cancellationToken = default);

    /// <summary>
    /// Ends this cluster's instance of a grain, as idleness would, and gives its row up. The next call places it anew, anywhere.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="reason">Why, for the log and the grain.</param>
    /// <param name="cancellationToken">Ends the wait; what was begun goes on.</param>
    /// <returns>
    /// True when the row is gone; false when this cluster has no instance, it did not end in time, or a call has taken the grain up again
    /// meanwhile.
    /// </returns>
    /// <exception cref="GeoUnavailableException">
    /// The store of the rows does not answer, the row is damaged, or the instance could not be ended.
    /// </exception>
    ValueTask<bool> ReleaseAsync(GrainKey key, string reason, CancellationToken cancellationToken = default);

    /// <summary>
    /// Ends this cluster's instance of a grain and has another cluster acquire it. Calls that come here meanwhile wait; the call of a third
    /// cluster that does not know where the grain is may be faster.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="to">The cluster that is to have it.</param>
    /// <param name="reason">Why, for the log and the grain.</param>
    /// <param name="cancellationToken">Ends the wait; what was begun goes on.</param>
    /// <returns>
    /// True when that cluster owns the grain; false when it was not released, or another one has it, or that cluster does not answer. It is
    /// not released while any cluster does not answer, for nobody would be let have it then; but for grains of the mode Quorum.
    /// </returns>
    /// <exception cref="ArgumentException">The cluster is this one, or not among the others.</exception>
    /// <exception cref="GeoUnavailableException">As for <see cref="ReleaseAsync"/>.</exception>
    ValueTask<bool> MoveAsync(GrainKey key, ClusterId to, string reason, CancellationToken cancellationToken = default);
}
