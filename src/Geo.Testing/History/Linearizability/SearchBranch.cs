namespace Geo.Testing;

/// <summary>A configuration that a search has come to, and how far the ways to go on from it have been tried.</summary>
internal record struct SearchBranch
{
    /// <summary>When the operation that is the first to return is absorbed, where it can be.</summary>
    public enum Turn
    {
        None,
        First,
        Last,
    }

    /// <summary>How many operations have their place.</summary>
    public int Length { get; init; }

    /// <summary>The place of the first return of an operation that has none.</summary>
    public int FirstReturn { get; init; }

    /// <summary>How many time-outs have taken effect since that return became the first.</summary>
    public int Spent { get; set; }

    /// <summary>True when the operation that is the first to return is not possible now.</summary>
    public bool IsBlocked { get; set; }

    /// <summary>Where the operations begin that are possible next.</summary>
    public int Candidates { get; init; }

    /// <summary>The next of them to be tried.</summary>
    public int NextCandidate { get; set; }

    /// <summary>Where those end that promise most.</summary>
    public int GoalsEnd { get; set; }

    public int CandidatesEnd { get; init; }

    public Turn Absorbs { get; set; }

    /// <summary>The next time-out to be looked at for one that makes the first return possible.</summary>
    public int NextGoal;

    /// <summary>The next time-out to be looked at for any other.</summary>
    public int NextOpen;
}
