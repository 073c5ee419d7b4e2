namespace Geo.Administration;

/// <summary>Grains of the asked cluster that are Doubtful.</summary>
/// <param name="Grains">Their keys, with their silos.</param>
/// <param name="Next">What to ask for next; null when there is no more.</param>
internal sealed record DoubtfulPage(IReadOnlyList<DoubtfulGrain> Grains, string? Next);
