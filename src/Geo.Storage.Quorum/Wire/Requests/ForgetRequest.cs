namespace Geo.Storage.Quorum;

/// <summary>Delete a tombstone that all acceptors have, if it is the one accepted under the ballot and the floor covers it (R12).</summary>
internal sealed record ForgetRequest(string Key, Ballot Accepted) : KeyRequest(Key);
