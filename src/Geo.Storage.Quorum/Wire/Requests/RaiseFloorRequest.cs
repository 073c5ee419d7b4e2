namespace Geo.Storage.Quorum;

/// <summary>Regard every key of which you have no row as promised up to the ballot (R12).</summary>
internal sealed record RaiseFloorRequest(Ballot Floor) : QuorumRequest;
