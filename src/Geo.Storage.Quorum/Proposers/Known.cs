namespace Geo.Storage.Quorum;

/// <summary>What a proposer that wrote a key last remembers: a majority has promised it the next ballot.</summary>
/// <param name="List">The <see cref="StoreList.Digest"/> of the list whose majority it is.</param>
/// <param name="Next">The ballot promised; used once.</param>
/// <param name="Written">What it wrote.</param>
internal sealed record Known(ulong List, Ballot Next, ChainEnd Written);
