namespace Geo.Storage.Quorum;

/// <summary>
/// Keep this list of stores, if you keep none and it names your store, or if it comes after the one that you keep; say what you are.
/// </summary>
internal sealed record FoundRequest(string Configuration, StoreList Stores) : QuorumRequest;
