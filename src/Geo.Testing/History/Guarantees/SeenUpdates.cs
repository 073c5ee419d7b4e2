namespace Geo.Testing;

/// <summary>What a call of an object whose state is a sequence of updates gives back.</summary>
/// <param name="Updates">The updates that a read has seen, in the order in which they took effect; nothing for a write.</param>
public sealed record SeenUpdates(IReadOnlyList<long> Updates)
{
    private const int ShownAtMost = 6;

    /// <summary>Nothing, which a write gives back.</summary>
    public static SeenUpdates None { get; } = new([]);

    /// <inheritdoc/>
    public override string ToString() => Updates.Count <= ShownAtMost
        ? $"[{string.Join(' ', Updates)}]"
        : $"[{Updates.Count} up to {string.Join(' ', Updates.Skip(Updates.Count - ShownAtMost))}]";
}
