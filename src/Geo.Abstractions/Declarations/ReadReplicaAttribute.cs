namespace Geo;

/// <summary>
/// Methods of the grain that are marked <c>[ReadOnly]</c> are answered in the caller's cluster, from a copy of the last confirmed version,
/// while the instance is in another cluster. Everything that was confirmed <see cref="MaxStaleness"/> before the answer is in it: the bound
/// is never exceeded. For versioned grains with <see cref="GlobalSingleInstanceAttribute"/>.
/// </summary>
/// <remarks>
/// <para>
/// The first read of a cluster goes to the instance and begins the copy; it asks the instance for news four times within the bound, as
/// long as it is read. What a copy cannot answer goes to the instance: linearizable and tentative reads, reads that ask for a lower age,
/// and sessions that have seen or written something newer.
/// </para>
/// <para>
/// On a copy the grain is an object of its class with the state, and nothing else: <c>OnActivateAsync</c> and <c>OnDeactivateAsync</c> do
/// not run, no event can be raised, and a method that goes to the instance after all is run anew there.
/// </para>
/// <para>
/// A persistent optimistic grain may have a second instance while clusters are cut off from each other; its age then counts from what was
/// read of the store. Of a volatile one the bound is to the instance that the cluster reaches.
/// </para>
/// </remarks>
[AttributeUsage(AttributeTargets.Class)]
public sealed class ReadReplicaAttribute : Attribute
{
    /// <summary>The bound, as a <see cref="TimeSpan"/> in text; from 20 ms to a day, 5 s by default.</summary>
    public string MaxStaleness { get; init; } = "00:00:05";

    /// <summary>What becomes of a read beyond the bound; <see cref="StaleRead.Forward"/> by default.</summary>
    public StaleRead OnStale { get; init; }
}
