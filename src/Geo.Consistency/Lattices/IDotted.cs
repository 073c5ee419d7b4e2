namespace Geo.Consistency.Lattices;

/// <summary>
/// Content whose every part stands for a <see cref="Dot"/>, so that parts can be removed for good: what one side lacks and its
/// <see cref="CausalContext"/> has was removed, what the context has not is new. A lattice only together with its context, as
/// <see cref="Dotted{TContent}"/>.
/// </summary>
/// <typeparam name="TSelf">The content itself.</typeparam>
public interface IDotted<TSelf> : ILatticeForm<TSelf>
    where TSelf : IDotted<TSelf>
{
    /// <summary>Content without any dot.</summary>
    static abstract TSelf Empty { get; }

    /// <summary>True when it holds no dot.</summary>
    bool IsEmpty { get; }

    /// <summary>The dots that it holds: those that a removal of all of it has observed.</summary>
    IEnumerable<Dot> Dots { get; }

    /// <summary>How many of its dots were seen.</summary>
    int CountSeen(CausalContext seen);

    /// <summary>Keeps a dot that both sides have, or that one side has and the other side's context has not.</summary>
    /// <param name="seen">The context of this side.</param>
    /// <param name="other">The other side.</param>
    /// <param name="otherSeen">The context of the other side.</param>
    TSelf Merge(CausalContext seen, TSelf other, CausalContext otherSeen);
}
