namespace Geo.Storage.Quorum;

/// <summary>What an acceptor keeps of one key.</summary>
/// <param name="Promised">P: the highest ballot promised.</param>
/// <param name="Accepted">A: the ballot under which the value was accepted, or none.</param>
/// <param name="Value">The value; null while nothing was accepted.</param>
internal sealed record AcceptorRow(Ballot Promised, Ballot Accepted, QuorumValue? Value)
{
    /// <summary>How a row comes into being, unless with a promise: without a value (rule R3).</summary>
    public static readonly AcceptorRow Empty = new(Ballot.None, Ballot.None, null);
}
