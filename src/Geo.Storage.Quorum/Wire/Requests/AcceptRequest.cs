namespace Geo.Storage.Quorum;

/// <summary>Accept the value under the ballot.</summary>
/// <param name="Key">The key.</param>
/// <param name="Ballot">The ballot.</param>
/// <param name="Value">The value.</param>
/// <param name="Next">The ballot to promise at once, for the proposer's next write; none for a value that is only repeated.</param>
internal sealed record AcceptRequest(string Key, Ballot Ballot, QuorumValue Value, Ballot Next) : KeyRequest(Key);
