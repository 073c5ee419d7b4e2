namespace Geo.Testing;

/// <summary>Which writes are slow on their way to a store: a test holds up those of which it wants to see what overtakes them.</summary>
internal interface IHeldWrites
{
    /// <summary>How long a write is held at most.</summary>
    TimeSpan MaxHold { get; }

    /// <summary>True as long as a write is to wait; asked again and again.</summary>
    /// <param name="key">The row.</param>
    /// <param name="value">What is written; empty for a delete.</param>
    /// <param name="expected">The version that the writer has read.</param>
    bool Holds(string key, ReadOnlySpan<byte> value, ETag? expected);
}
