namespace Geo.Storage.Quorum;

/// <summary>What an acceptor is: to <see cref="MeetRequest"/>, and to whatever comes from another list of stores than its own.</summary>
/// <param name="Cluster">Its cluster.</param>
/// <param name="Configuration">The clusters that the register began with, by its settings, in words.</param>
/// <param name="Store">What its store calls itself.</param>
/// <param name="Kept">The list of stores that it works with; null where it knows of none.</param>
/// <param name="IsFresh">True where its store holds nothing, so that it may be taken in.</param>
internal sealed record MetReply(ClusterId Cluster, string Configuration, Guid Store, StoreList? Kept, bool IsFresh) : QuorumReply;
