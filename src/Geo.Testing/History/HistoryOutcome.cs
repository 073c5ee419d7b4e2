namespace Geo.Testing;

/// <summary>What the check of a history found.</summary>
public enum HistoryOutcome
{
    /// <summary>The history keeps the guarantee.</summary>
    Holds,

    /// <summary>It does not.</summary>
    Violated,

    /// <summary>The check was given up at its limit, or the history lacks what it needs.</summary>
    Undecided,
}
