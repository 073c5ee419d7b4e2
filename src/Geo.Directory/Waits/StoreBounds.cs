namespace Geo.Directory;

/// <summary>The limits of a <see cref="BoundedStore"/>.</summary>
/// <param name="Timeout">How long an operation is waited for.</param>
/// <param name="MaxAbandoned">
/// How many operations that are not waited for any more may not have ended before no further one is begun.
/// </param>
internal sealed record StoreBounds(TimeSpan Timeout, int MaxAbandoned)
{
    /// <summary>Told of each operation that did not end in time.</summary>
    public Action? TimedOut { get; init; }

    /// <summary>Told of each operation that was not begun.</summary>
    public Action? Refused { get; init; }
}
