namespace Geo.Storage.Quorum;

/// <summary>What a proposer asks of an acceptor.</summary>
internal abstract record QuorumRequest;

/// <summary>Asks about one key.</summary>
/// <param name="Key">The key.</param>
internal abstract record KeyRequest(string Key) : QuorumRequest;
