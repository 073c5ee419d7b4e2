namespace Geo.Directory;

/// <summary>What a cluster knows of one grain.</summary>
/// <param name="Key">The grain.</param>
/// <param name="Entry">The row as it is stored; in state <see cref="GsiState.Cached"/> a hint of the silo that was asked.</param>
/// <param name="Node">What is known of the node that the row names; <see cref="NodeState.Living"/> where it names none.</param>
public sealed record DirectoryRow(GrainKey Key, GsiEntry Entry, NodeState Node);
