namespace Geo.Storage.Quorum;

/// <summary>What have you accepted?</summary>
internal sealed record ReadRequest(string Key) : KeyRequest(Key);
