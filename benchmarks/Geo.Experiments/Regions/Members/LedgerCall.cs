namespace Geo.Experiments.Regions;

/// <summary>A call of a ledger, as its caller saw it.</summary>
/// <param name="Key">The ledger.</param>
/// <param name="Id">The entry; 0 for a look.</param>
/// <param name="Began">When it was made.</param>
/// <param name="Ended">When it ended.</param>
/// <param name="End">How.</param>
/// <param name="Why">What the error said.</param>
/// <param name="Epoch">The tenancy under which it was answered.</param>
/// <param name="From">When it began there.</param>
/// <param name="To">When it ended there.</param>
internal sealed record LedgerCall(
    string Key, long Id, long Began, long Ended, CallEnd End, string? Why = null, long Epoch = 0, long From = 0, long To = 0);
