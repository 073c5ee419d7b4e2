namespace Geo.Experiments.ByteArrays;

/// <summary>A row of the GEO paper's Figure 8: a protocol, and where the instance is.</summary>
/// <param name="Name">API, policy and place.</param>
/// <param name="Class">The class, as references choose it.</param>
/// <param name="IsLatest">True for linearizable operations.</param>
/// <param name="IsAtNear">Where the single instance is: in the region of the store or in the other; null for one in each.</param>
/// <param name="Paper">
/// What the paper measured, in ms: from California first read, first update, read, update; the same from the Netherlands.
/// </param>
internal sealed record LatencyRow(string Name, string Class, bool IsLatest, bool? IsAtNear, double[] Paper);
