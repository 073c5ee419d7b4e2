namespace Geo.Directory;

/// <summary>What the directory needs of its host: who is alive in this cluster, and a way to end an instance.</summary>
internal interface ILocalInstances
{
    /// <summary>
    /// What is known of a node of this cluster. The host answers <see cref="NodeState.Gone"/> only when the node's instances have ended or
    /// are fenced off, and for every node in the end. Called on the hot path; must not block.
    /// </summary>
    /// <param name="node">The node's name as it was given to <see cref="GlobalDirectory.AcquireAsync"/>.</param>
    NodeState StateOf(string node);

    /// <summary>This silo's own node, as it is given to <see cref="GlobalDirectory.AcquireAsync"/>.</summary>
    string Node { get; }

    /// <summary>
    /// Names the present life of this cluster: another number after a time during which no silo of the cluster lived, so that rows from
    /// before are told from those of the present, which are taken over when their node is gone. The same on all silos, but for those that
    /// still go by an earlier life.
    /// </summary>
    long Incarnation { get; }

    /// <summary>True when there is an instance of a grain on this silo, whatever it is doing; from before it acquires the grain.</summary>
    bool Has(GrainKey key);

    /// <summary>
    /// Whether another node of this cluster has an instance of a grain. One that has none gives the grain up before it says so
    /// (<see cref="GlobalDirectory.UsesAsync"/>).
    /// </summary>
    /// <param name="node">The node.</param>
    /// <param name="key">The grain.</param>
    /// <param name="tenancy">The tenancy that its row names.</param>
    /// <param name="timeout">How long it may take.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    ValueTask<TenancyUse> UsesAsync(string node, GrainKey key, long tenancy, TimeSpan timeout, CancellationToken cancellationToken);

    /// <summary>
    /// Ends the local instance of a grain, wherever in this cluster it runs, because another cluster has the grain. When the task ends
    /// the instance is gone and no call runs on it any more; nothing happens if there is none. Calls that wait for the instance must
    /// ask the directory again. An exception leaves the row as it is, and the directory tries again later. It may take as long as the call
    /// that runs on the instance: the directory waits <see cref="GlobalDirectoryOptions.DeactivationTimeout"/>, and asks no second time
    /// while it lasts.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="reason">Why, for people.</param>
    ValueTask DeactivateAsync(GrainKey key, string reason);
}
