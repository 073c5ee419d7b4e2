namespace Geo.Directory;

/// <summary>How a transition of a row ended, after unknown outcomes were followed up.</summary>
internal enum RowWriteOutcome
{
    /// <summary>The row holds what was written.</summary>
    Applied,

    /// <summary>
    /// The row holds something else: look again. A first write of unknown outcome may still land after this, as the row of a round that
    /// nobody runs; any other write certainly never will.
    /// </summary>
    Lost,

    /// <summary>The store did not let on. The write may still land, as long as the row has the version it expected.</summary>
    Unknown,
}

/// <summary>The end of a transition of a row.</summary>
/// <param name="Outcome">How it ended.</param>
/// <param name="Row">The row as written, where applied.</param>
/// <param name="Reason">Why nothing is known, for people.</param>
internal readonly record struct RowWrite(RowWriteOutcome Outcome, Row Row = default, string? Reason = null);
