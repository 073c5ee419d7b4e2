namespace TpcwMini.Report;

/// <summary>How busy the storage account was during the measured time.</summary>
/// <param name="OperationsPerSecond">Operations it served.</param>
/// <param name="Limit">Operations it serves at most.</param>
/// <param name="UtilisationPercent">The share of the limit that was used.</param>
internal sealed record StoreLoad(double OperationsPerSecond, int Limit, double UtilisationPercent);
