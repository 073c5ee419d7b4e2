namespace Geo;

/// <summary>The opaque version of one stored value; no two versions ever stored under one key share it, deletion included.</summary>
/// <param name="Value">The store's own text.</param>
public readonly record struct ETag(string Value)
{
    /// <inheritdoc/>
    public override string ToString() => Value ?? "";
}
