using Geo.Consistency.Lattices;

namespace Geo.Testing;

/// <summary>
/// A call of a session to a grain whose state is a set of updates, which only grows, and a register that the last update is written into.
/// The set says which updates a read has seen, the register's stamps in which order they overwrite each other.
/// </summary>
/// <param name="Session">The session.</param>
/// <param name="Node">The life of a replica that was called.</param>
/// <param name="Key">The grain.</param>
/// <param name="Kind">What was done.</param>
public sealed record LevelCall(string Session, string Node, string Key, LevelCallKind Kind)
{
    /// <summary>The update that was written, or that the register showed; 0 for none. No two writes have one.</summary>
    public long Update { get; init; }

    /// <summary>The stamp of <see cref="Update"/> in the register.</summary>
    public Stamp Stamp { get; init; }

    /// <summary>The updates that a read has seen.</summary>
    public IReadOnlyCollection<long> Seen { get; init; } = [];

    /// <summary>The number of its transaction; 0 where it is one by itself.</summary>
    public int Transaction { get; init; }

    /// <inheritdoc/>
    public override string ToString()
    {
        var what = Kind == LevelCallKind.Write ? $"writes {Update}" : $"reads {Update} of {{{string.Join(' ', Seen.Order())}}}";
        return $"{Session} at {Node}{(Transaction == 0 ? "" : $" in T{Transaction}")}: {Key} {what}";
    }
}
