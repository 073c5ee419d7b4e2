namespace Geo.Storage.Quorum;

/// <summary>What an acceptor keeps of itself, in one row beside those of keys.</summary>
/// <param name="Store">Drawn when the store is first used: one that replaces a lost one calls itself otherwise.</param>
/// <param name="Floor">What every key without a row was promised at most (R2, R12).</param>
/// <param name="Founded">The stores of all acceptors at the beginning; null before it.</param>
internal sealed record AcceptorMeta(Guid Store, Ballot Floor, StoreList? Founded);
