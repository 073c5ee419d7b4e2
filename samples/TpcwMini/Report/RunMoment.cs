namespace TpcwMini.Report;

/// <summary>Something that happened to a region in the middle of a run because it was asked for.</summary>
/// <param name="Second">When, in seconds after the measured time began.</param>
/// <param name="What">What happened.</param>
/// <param name="Part">What the part of the run that begins then is called.</param>
internal sealed record RunMoment(double Second, string What, string Part);
