namespace Geo.Consistency;

/// <summary>What seeing a stored version means.</summary>
internal enum CasVerdict
{
    /// <summary>It is the version known already.</summary>
    Unchanged,

    /// <summary>It is a newer version.</summary>
    Newer,

    /// <summary>The row was deleted or set back from outside: its history is not the one this view has shown.</summary>
    Replaced,
}

/// <summary>The outcome of seeing a stored version.</summary>
/// <param name="Next">What the instance knows now.</param>
/// <param name="Verdict">What it saw.</param>
/// <param name="Landed">How many of the oldest queued updates the version holds.</param>
/// <param name="InDoubt">How many of the oldest queued updates it may or may not hold, with no way left to find out.</param>
/// <param name="IsForeign">True when it holds updates of other instances that were not known before.</param>
internal readonly record struct CasObservation(CasState Next, CasVerdict Verdict, int Landed, int InDoubt, bool IsForeign);
