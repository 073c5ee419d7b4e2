namespace Geo.Directory.Tests;

/// <summary>How far the start of a <see cref="ModelSilo"/> is.</summary>
internal enum ModelStage
{
    Reads,
    TakesItsLease,
    ReadsAgain,
    Serves,
}
