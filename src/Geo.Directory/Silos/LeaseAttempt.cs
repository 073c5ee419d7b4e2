namespace Geo.Directory;

/// <summary>One attempt of a silo to renew its lease.</summary>
/// <param name="Row">What it writes, as no other attempt does.</param>
/// <param name="Sent">When it began, by the monotonic clock.</param>
/// <param name="SentOnWall">When it began, by the wall clock.</param>
internal sealed record LeaseAttempt(byte[] Row, long Sent, DateTimeOffset SentOnWall);
