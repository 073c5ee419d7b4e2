namespace Geo.Directory;

/// <summary>What the directory needs of its host: who is alive in this cluster, and a way to end an instance.</summary>
public interface ILocalInstances
{
    /// <summary>
    /// True while a node of this cluster may run instances. False gives the node's rows up: the host answers false only when the node's
    /// instances have ended or are fenced off. Called on the hot path; must not block.
    /// </summary>
    /// <param name="node">The node's name as it was given to <see cref="GlobalDirectory.AcquireAsync"/>.</param>
    bool IsNodeAlive(string node);

    /// <summary>
    /// Ends the local instance of a grain, wherever in this cluster it runs, because another cluster owns the grain. When the task ends
    /// the instance is gone and no call runs on it any more; nothing happens if there is none. Calls that wait for the instance must
    /// ask the directory again. An exception leaves the row as it is, and the directory tries again later.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="reason">Why, for people.</param>
    ValueTask DeactivateAsync(GrainKey key, string reason);
}
