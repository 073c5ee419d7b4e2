using Geo.Testing.Wan;

namespace Geo.Experiments.ByteArrays;

/// <summary>What a region does while the other one, or its own, is lost.</summary>
/// <param name="Stage">What is asked now.</param>
/// <param name="Arrays">How many arrays of each mode there are.</param>
/// <param name="Cut">How the link breaks, where it is to.</param>
internal sealed record RegionLoss(LossStage Stage, int Arrays = 0, CutMode Cut = CutMode.Drop);
