namespace Geo.Storage.Quorum;

/// <summary>
/// What an acceptor is: to <see cref="MeetRequest"/>, and to whatever comes from another list of stores than its own. Also the word of a
/// cluster that uses the register and keeps nothing.
/// </summary>
/// <param name="Cluster">Its cluster.</param>
/// <param name="Configuration">The clusters that the register began with, by its settings, in words.</param>
/// <param name="Store">What its store calls itself; empty where it has none.</param>
/// <param name="Kept">The latest list of stores that it knows of; null for none.</param>
/// <param name="IsFresh">True where its store holds nothing, so that it may be taken in.</param>
/// <param name="Promised">The highest version under which it has promised anything, where that is above the one of its list.</param>
internal sealed record MetReply(
    ClusterId Cluster, string Configuration, Guid Store, StoreList? Kept, bool IsFresh, long Promised = 0) : QuorumReply
{
    /// <summary>True where it has a store of its own.</summary>
    public bool HasStore => Store != Guid.Empty;
}
