namespace Geo;

/// <summary>One value of a conditional store.</summary>
/// <param name="Key">The key.</param>
/// <param name="Value">The value.</param>
/// <param name="ETag">The value's version.</param>
public readonly record struct StoreEntry(string Key, ReadOnlyMemory<byte> Value, ETag ETag)
{
    /// <summary>
    /// For how long the store had seen this version when it told of it, at least: it was on its way for that long until it was decided.
    /// Makes no difference between entries.
    /// </summary>
    internal TimeSpan Age { get; init; }

    /// <summary>True of an entry with the same key, value and version.</summary>
    public bool Equals(StoreEntry other) => Key == other.Key && ETag == other.ETag && Value.Equals(other.Value);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Key, ETag, Value);
}
