namespace Geo.Storage.Quorum;

/// <summary>Keep this list of stores, if you keep none and it names your store; say what you are.</summary>
internal sealed record FoundRequest(string Configuration, StoreList Stores) : QuorumRequest;
