namespace Geo.Experiments.ByteArrays;

/// <summary>What a region's process is asked: to do one of these, or, without any, whether it reaches the other region.</summary>
/// <param name="Step">Accesses to time.</param>
/// <param name="Load">Robots to run.</param>
/// <param name="Loss">A step of a loss.</param>
internal sealed record RegionQuestion(RegionStep? Step = null, RegionLoad? Load = null, RegionLoss? Loss = null);
