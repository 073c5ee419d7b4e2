namespace Geo.Directory;

/// <summary>What a cluster knows of one of its nodes, as far as instances are concerned.</summary>
public enum NodeState
{
    /// <summary>The node runs instances and can be called.</summary>
    Living,

    /// <summary>
    /// The node is dead or unknown, but not yet fenced off: it may still run what it ran, and cannot be called. Its rows are nobody's to
    /// call, to answer for or to take over until it is <see cref="Gone"/>.
    /// </summary>
    Unfenced,

    /// <summary>The node certainly runs nothing any more: its rows are given up.</summary>
    Gone,
}
