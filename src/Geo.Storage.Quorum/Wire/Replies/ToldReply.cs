namespace Geo.Storage.Quorum;

/// <summary>To <see cref="ReadRequest"/>.</summary>
internal sealed record ToldReply(Ballot Promised, Ballot Accepted, QuorumValue? Value) : QuorumReply
{
    /// <summary>Of a key that an acceptor has no row of.</summary>
    public static readonly ToldReply Nothing = new(Ballot.None, Ballot.None, null);
}
