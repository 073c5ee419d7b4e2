namespace Geo.Storage.Quorum;

/// <summary>A row of an acceptor.</summary>
/// <param name="Key">The key.</param>
/// <param name="Row">What is told of it.</param>
/// <param name="Age">For how long the acceptor has had its value, at least; in whole milliseconds.</param>
internal readonly record struct PageRow(string Key, ToldReply Row, TimeSpan Age);
