namespace Geo.Experiments.ByteArrays;

/// <summary>Accesses of arrays, each of one of its own, a few at a time.</summary>
/// <param name="Class">The class, as references choose it.</param>
/// <param name="IsLatest">True for linearizable operations.</param>
/// <param name="IsUpdate">True for updates.</param>
/// <param name="FirstKey">The number of the first array.</param>
/// <param name="Count">How many.</param>
internal sealed record RegionStep(string Class, bool IsLatest, bool IsUpdate, int FirstKey, int Count);
