namespace Geo.Consistency;

/// <summary>What a follower has acknowledged in a term.</summary>
/// <param name="Step">The newest step that it has.</param>
/// <param name="Round">The newest round that it has answered.</param>
internal readonly record struct FollowerAck(long Step, long Round);
