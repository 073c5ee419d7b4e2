namespace Geo.Directory;

/// <summary>What a node says of a tenancy that a row names it for.</summary>
internal enum TenancyUse
{
    /// <summary>Nothing, or not in time.</summary>
    Unheard,

    /// <summary>An instance runs under it, or begins.</summary>
    Used,

    /// <summary>None does, and the row was given up, or cannot be.</summary>
    Unused,

    /// <summary>The node acquires the grain just then: who joins that lives by its row. Nothing was changed.</summary>
    Undecided,
}
