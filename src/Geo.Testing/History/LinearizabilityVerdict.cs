namespace Geo.Testing;

/// <summary>What the check of a history found.</summary>
public enum LinearizabilityOutcome
{
    /// <summary>There is an order of the operations that explains every result.</summary>
    Linearizable,

    /// <summary>There is none.</summary>
    Violated,

    /// <summary>The search was given up at its limit.</summary>
    Undecided,
}

/// <summary>The end of a check.</summary>
/// <param name="Outcome">What was found.</param>
/// <param name="Key">The first key whose operations do not fit, or could not be decided; null when all fit.</param>
/// <param name="Explanation">For people: the longest order that was found, and what does not fit behind it; empty when all fit.</param>
public sealed record LinearizabilityVerdict(LinearizabilityOutcome Outcome, string? Key, string Explanation);
