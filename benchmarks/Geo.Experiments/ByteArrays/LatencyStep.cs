namespace Geo.Experiments.ByteArrays;

/// <summary>One access of an array.</summary>
/// <param name="IsNear">True from California.</param>
/// <param name="IsUpdate">True for an update.</param>
internal readonly record struct LatencyStep(bool IsNear, bool IsUpdate);
