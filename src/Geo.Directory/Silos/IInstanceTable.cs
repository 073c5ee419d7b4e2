namespace Geo.Directory;

/// <summary>The instances of single-instance grains on this silo, as the host keeps them.</summary>
internal interface IInstanceTable
{
    /// <summary>True when there is an instance of the grain, whatever it is doing.</summary>
    bool Has(GrainKey key);

    /// <summary>True when there is one that takes calls.</summary>
    bool TakesCalls(GrainKey key) => Has(key);

    /// <summary>
    /// Ends the instance of a grain, if there is one. When the task ends, no call runs on it any more. The host need not bound it: whoever
    /// calls it does.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="reason">Why, for people.</param>
    Task DeactivateAsync(GrainKey key, string reason);

    /// <summary>
    /// Ends an instance that serves nobody any more, as <see cref="DeactivateAsync"/> does: and for its view, to which its successor
    /// writes by now, its calls wait no longer.
    /// </summary>
    /// <param name="key">The grain.</param>
    /// <param name="reason">Why, for people.</param>
    Task LoseAsync(GrainKey key, string reason) => DeactivateAsync(key, reason);
}
