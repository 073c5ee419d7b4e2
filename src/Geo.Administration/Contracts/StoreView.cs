namespace Geo.Administration;

/// <summary>A store of the asked silo.</summary>
/// <param name="Name">Its name there.</param>
/// <param name="Ms">How long it took to answer, in milliseconds.</param>
/// <param name="Trouble">Why it did not answer; null when it did.</param>
/// <param name="Identity">Which store it is; null where nobody has asked it that yet, which is so of stores that are not shared.</param>
internal sealed record StoreView(string Name, double Ms, string? Trouble, string? Identity);
