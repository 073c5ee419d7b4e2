namespace Geo;

/// <summary>
/// A store refused an operation for good: a key or value outside its limits, or a store that is not one. Nothing stored was changed.
/// </summary>
/// <param name="message">What happened, where and what to do.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class GeoStorageException(string message, Exception? innerException = null) : GeoException(message, innerException)
{
    /// <summary>The most bytes that the store takes as a value, where it refused one that has more; null for any other reason.</summary>
    public int? MaxValueBytes { get; init; }
}
