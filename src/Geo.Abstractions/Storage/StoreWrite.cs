namespace Geo;

/// <summary>How a conditional write or delete ended.</summary>
public enum StoreWriteOutcome
{
    /// <summary>It may have taken effect, or may still do so later.</summary>
    Unknown,

    /// <summary>It took effect.</summary>
    Applied,

    /// <summary>It certainly took no effect: the version expected was not the present one.</summary>
    Conflict,
}

/// <summary>The result of a conditional write or delete.</summary>
public readonly record struct StoreWrite
{
    private StoreWrite(StoreWriteOutcome outcome, ETag? etag, string? reason) => (Outcome, ETag, Reason) = (outcome, etag, reason);

    /// <summary>How it ended.</summary>
    public StoreWriteOutcome Outcome { get; }

    /// <summary>The new version, where a write was applied; null otherwise and after a delete.</summary>
    public ETag? ETag { get; }

    /// <summary>Why the outcome is unknown, for people.</summary>
    public string? Reason { get; }

    /// <summary>It took effect, and the value now has this version.</summary>
    public static StoreWrite Applied(ETag etag) => new(StoreWriteOutcome.Applied, etag, null);

    /// <summary>A delete took effect.</summary>
    public static StoreWrite Deleted => new(StoreWriteOutcome.Applied, null, null);

    /// <summary>It took no effect, because the present version is another one.</summary>
    public static StoreWrite Conflict => new(StoreWriteOutcome.Conflict, null, null);

    /// <summary>It may have taken effect or not.</summary>
    /// <param name="reason">What went wrong, for people.</param>
    public static StoreWrite Unknown(string reason) => new(StoreWriteOutcome.Unknown, null, reason);
}
