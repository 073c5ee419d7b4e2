namespace Geo.Storage.Quorum;

/// <summary>What a proposer that wrote a key last remembers: a majority has promised it the next ballot.</summary>
/// <param name="Next">The ballot promised; used once.</param>
/// <param name="Written">What it wrote.</param>
internal sealed record Known(Ballot Next, ChainEnd Written);
