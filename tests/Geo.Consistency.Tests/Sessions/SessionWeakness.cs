namespace Geo.Consistency.Tests.Sessions;

/// <summary>What a session leaves out, to show that it is needed.</summary>
public enum SessionWeakness
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>It keeps no token of what it has written.</summary>
    ForgetsWrites,

    /// <summary>It keeps no token of what it has read.</summary>
    ForgetsReads,

    /// <summary>Its updates are given no token.</summary>
    UpdatesWithout,
}
