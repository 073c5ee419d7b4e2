namespace Geo;

/// <summary>How a read of a conditional store ended.</summary>
public enum StoreReadOutcome
{
    /// <summary>Nothing is known: the store did not answer.</summary>
    Unknown,

    /// <summary>The key holds the value given.</summary>
    Found,

    /// <summary>The key holds nothing.</summary>
    NotFound,
}

/// <summary>The result of a read.</summary>
public readonly record struct StoreRead
{
    private StoreRead(StoreReadOutcome outcome, ReadOnlyMemory<byte> value, ETag? etag, string? reason) =>
        (Outcome, Value, ETag, Reason) = (outcome, value, etag, reason);

    /// <summary>How the read ended.</summary>
    public StoreReadOutcome Outcome { get; }

    /// <summary>The value, where <see cref="StoreReadOutcome.Found"/>.</summary>
    public ReadOnlyMemory<byte> Value { get; }

    /// <summary>The value's version; null where there is none, which is also what a first write must expect.</summary>
    public ETag? ETag { get; }

    /// <summary>Why nothing is known, for people.</summary>
    public string? Reason { get; }

    /// <summary>The key does not exist.</summary>
    public static StoreRead NotFound => new(StoreReadOutcome.NotFound, default, null, null);

    /// <summary>The key holds a value.</summary>
    public static StoreRead Found(ReadOnlyMemory<byte> value, ETag etag) => new(StoreReadOutcome.Found, value, etag, null);

    /// <summary>The store did not answer.</summary>
    /// <param name="reason">What went wrong, for people.</param>
    public static StoreRead Unknown(string reason) => new(StoreReadOutcome.Unknown, default, null, reason);
}
