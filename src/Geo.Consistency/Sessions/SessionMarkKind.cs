namespace Geo.Consistency;

/// <summary>What a mark of a session says of a grain.</summary>
internal enum SessionMarkKind
{
    /// <summary>A version of the one history that a store keeps.</summary>
    Stored = 0,

    /// <summary>A version that was made in a term, or by the one instance that has the grain's memory.</summary>
    Led = 1,

    /// <summary>An instance's update that was not confirmed, by its number.</summary>
    Pending = 2,
}
