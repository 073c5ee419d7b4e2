namespace Geo.Storage.Quorum;

/// <summary>What an acceptor is: to <see cref="MeetRequest"/>, and to whatever comes from another list of stores than its own.</summary>
/// <param name="Cluster">Its cluster.</param>
/// <param name="Configuration">Its configuration, in words.</param>
/// <param name="Store">What its store calls itself.</param>
/// <param name="Founded">The stores of all at the beginning; null where it knows of none.</param>
internal sealed record MetReply(ClusterId Cluster, string Configuration, Guid Store, StoreList? Founded) : QuorumReply;
