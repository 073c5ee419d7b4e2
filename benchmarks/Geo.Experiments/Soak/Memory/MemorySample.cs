namespace Geo.Experiments.Soak.Memory;

/// <summary>The memory of a process at one time.</summary>
/// <param name="Life">Which life of the process: 0 until it is first killed.</param>
/// <param name="Age">How long this life had lasted.</param>
/// <param name="Use">What it used.</param>
internal readonly record struct MemorySample(int Life, TimeSpan Age, MemoryUse Use);
