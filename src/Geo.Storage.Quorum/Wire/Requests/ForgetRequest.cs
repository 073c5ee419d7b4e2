namespace Geo.Storage.Quorum;

/// <summary>
/// Delete the row of a tombstone that all acceptors have accepted under the ballot, or of nothing, if the floor covers it (R12).
/// </summary>
internal sealed record ForgetRequest(string Key, Ballot Accepted) : KeyRequest(Key);
