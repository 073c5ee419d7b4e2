namespace Geo.Directory;

/// <summary>
/// An entry as it counts at one moment. What is known of its node may change at any time and is read once, so that all that is concluded
/// from the entry is concluded from one state.
/// </summary>
/// <param name="Entry">The entry without what a crash left behind (<see cref="GsiRules.Recover"/>).</param>
/// <param name="Node">The state of the node that the entry names; <see cref="NodeState.Living"/> where it names none.</param>
/// <param name="Regarded">The same as far as the entry is concerned (<see cref="GsiRules.NodeOf"/>).</param>
internal readonly record struct RegardedEntry(GsiEntry Entry, NodeState Node, NodeState Regarded)
{
    /// <summary>True where the instance can be called at its node.</summary>
    public bool MayBeCalled => Entry.MayRunHere && Node == NodeState.Living;
}
