namespace Geo.Storage.Quorum;

/// <summary>What an acceptor does next for a request.</summary>
/// <param name="Reply">The answer, once the write, if there is one, is applied; null to decide anew then.</param>
/// <param name="Write">The row to write on the etag of the one that was read; null for none.</param>
/// <param name="Deletes">True to delete the row that was read.</param>
internal sealed record AcceptorStep(QuorumReply? Reply, AcceptorRow? Write = null, bool Deletes = false);
