namespace Geo.Experiments.ByteArrays;

/// <summary>Robots that access one array, each again as soon as it is answered.</summary>
/// <param name="Class">The class, as references choose it.</param>
/// <param name="Key">The array.</param>
/// <param name="IsLatest">True for linearizable operations.</param>
/// <param name="Updates">The percentage of updates.</param>
/// <param name="Robots">How many.</param>
/// <param name="Time">How long; answers in the first third of it do not count.</param>
internal sealed record RegionLoad(string Class, string Key, bool IsLatest, int Updates, int Robots, TimeSpan Time);
