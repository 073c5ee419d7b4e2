namespace Geo.Experiments.ByteArrays;

/// <summary>What a region's process answers.</summary>
/// <param name="IsLinked">True while it reaches the other region.</param>
/// <param name="Times">How long each access of a step took, in ms.</param>
/// <param name="Answers">How many accesses of a load were answered in time.</param>
/// <param name="Seen">When each array answered anew or was refused, as timestamps.</param>
internal sealed record RegionAnswer(bool IsLinked = true, double[]? Times = null, long Answers = 0, long[]? Seen = null);
