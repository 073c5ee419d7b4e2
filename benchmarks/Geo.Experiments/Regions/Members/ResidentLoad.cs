namespace Geo.Experiments.Regions;

/// <summary>Grains to be made, or called.</summary>
/// <param name="Class">The name of the class.</param>
/// <param name="Grains">How many there are.</param>
/// <param name="AtATime">How many calls are under way.</param>
internal sealed record ResidentLoad(string Class, int Grains, int AtATime);
