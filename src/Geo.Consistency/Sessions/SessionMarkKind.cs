namespace Geo.Consistency;

/// <summary>What a mark of a session says of a grain.</summary>
internal enum SessionMarkKind
{
    /// <summary>A version of the one history that a store keeps.</summary>
    Stored = 0,

    /// <summary>A version that was made in a term, or by the one instance that has the grain's memory.</summary>
    Led = 1,

    /// <summary>
    /// An instance's updates that were not confirmed, by the numbers of the first and the last: the session raised these two, and perhaps
    /// others between, or a tentative read has shown it all of them.
    /// </summary>
    Pending = 2,

    /// <summary>The same; a tentative read has shown them, and some were on a condition.</summary>
    PendingOnCondition = 3,
}
