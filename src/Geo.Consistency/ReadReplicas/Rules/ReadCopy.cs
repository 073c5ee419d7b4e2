namespace Geo.Consistency;

/// <summary>
/// The copy of a grain that a read replica has: one version, and the moment before which nothing was confirmed that is not in it.
/// </summary>
/// <param name="History">Which history it is of: 0 for the one in a store, else the instance that has the grain's memory.</param>
/// <param name="Version">The version.</param>
/// <param name="Edition">Which of the versions of that number (<see cref="ReadFeedAnswer.Edition"/>).</param>
/// <param name="State">The state's bytes.</param>
/// <param name="AsOf">Everything confirmed before is in it.</param>
/// <param name="KnownAt">When the version came to be known here.</param>
/// <param name="Poll">The number of the latest question that its history has answered.</param>
/// <param name="Limit">How old it may be, by a clock that may be slow.</param>
internal sealed record ReadCopy(
    uint History, long Version, uint Edition, ReadOnlyMemory<byte> State, TwoClocks AsOf, TwoClocks KnownAt, long Poll, TimeSpan Limit)
{
    /// <summary>True when a read that ends now is within the bound.</summary>
    internal bool IsFresh(TwoClocks now) => now.Since(AsOf) <= Limit;

    /// <inheritdoc cref="IsFresh(TwoClocks)"/>
    internal bool IsFresh(TimeProvider time) => IsFresh(TwoClocks.Of(time));

    /// <summary>True when it has the version that a session has seen or made.</summary>
    internal bool Contains(SessionMark mark) => mark.Version <= Version && mark.Kind switch
    {
        SessionMarkKind.Stored => History == 0,
        SessionMarkKind.Led => History != 0 && mark == Mark(mark.Grain) with { Version = mark.Version },
        _ => false,
    };

    /// <summary>The mark of a session that has read it.</summary>
    internal SessionMark Mark(ulong grain) =>
        History == 0 ? SessionMark.Stored(grain, Version) : SessionMark.Single(grain, History, Version);
}
