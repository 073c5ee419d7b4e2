namespace Geo.Directory;

/// <summary>What a cluster knows of one grain.</summary>
public sealed record DirectoryRow
{
    internal DirectoryRow(GrainKey key, GsiEntry entry, NodeState node) => (Key, Entry, Node) = (key, entry, node);

    /// <summary>The grain.</summary>
    public GrainKey Key { get; }

    /// <summary>The state of the row as it is stored; <see cref="GsiState.Cached"/> for a hint of the silo that was asked.</summary>
    public GsiState State => Entry.State;

    /// <summary>
    /// The other cluster that has the grain: for <see cref="GsiState.Cached"/> where the instance is, for <see cref="GsiState.Loser"/> for
    /// whom the instance here is being ended, for <see cref="GsiState.Owned"/> to which it is about to move. None otherwise.
    /// </summary>
    public ClusterId Owner => Entry.Owner;

    /// <summary>The silo of this cluster that the row names, which has the instance or is to have it; null for a hint.</summary>
    public string? Silo => Entry.Node;

    /// <summary>
    /// True when an instance may be running in this cluster: owned, in doubt, or in doubt while its round is being run again.
    /// </summary>
    public bool MayRunHere => Entry.MayRunHere;

    /// <summary>What is known of <see cref="Silo"/>; <see cref="NodeState.Living"/> where the row names none.</summary>
    public NodeState Node { get; }

    /// <summary>The row itself.</summary>
    internal GsiEntry Entry { get; }
}
