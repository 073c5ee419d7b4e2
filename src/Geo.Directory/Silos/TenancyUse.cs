namespace Geo.Directory;

/// <summary>What a node says of a tenancy that a row names it for.</summary>
internal enum TenancyUse
{
    /// <summary>
    /// Not known: it said nothing, or not in time, or it acquires the grain just then, and who joins that lives by its row. Nothing was
    /// changed.
    /// </summary>
    Undecided,

    /// <summary>An instance runs under it, or begins.</summary>
    Used,

    /// <summary>None does, and the row was given up, or cannot be.</summary>
    Unused,
}
