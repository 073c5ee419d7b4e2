namespace Geo.Storage.Quorum;

/// <summary>Promise to accept nothing below the ballot, and say what you have accepted.</summary>
internal sealed record PrepareRequest(string Key, Ballot Ballot) : KeyRequest(Key);
