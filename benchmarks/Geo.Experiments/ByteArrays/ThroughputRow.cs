namespace Geo.Experiments.ByteArrays;

/// <summary>A bar of the GEO paper's Figures 9 and 10.</summary>
/// <param name="Name">API, policy and place.</param>
/// <param name="Class">The class, as references choose it.</param>
/// <param name="IsLatest">True for linearizable operations.</param>
/// <param name="IsAtNear">Where a single instance is.</param>
/// <param name="IsSpread">True where both regions call.</param>
/// <param name="Updates">The percentage of updates.</param>
/// <param name="Paper">What the paper says of it, where it gives a number.</param>
internal sealed record ThroughputRow(
    string Name, string Class, bool IsLatest, bool IsAtNear, bool IsSpread, int Updates, string Paper = "");
