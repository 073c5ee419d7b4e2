namespace Geo;

/// <summary>One value of a conditional store.</summary>
/// <param name="Key">The key.</param>
/// <param name="Value">The value.</param>
/// <param name="ETag">The value's version.</param>
public readonly record struct StoreEntry(string Key, ReadOnlyMemory<byte> Value, ETag ETag);
